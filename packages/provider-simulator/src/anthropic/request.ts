/** The parts of a Messages request that the rules look at. Only `check-shape.ts` sees anything less well formed. */
export interface MessagesRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly max_tokens?: number;
  readonly system?: string | readonly Block[];
  readonly tools?: readonly Tool[];
  readonly tool_choice?: {
    readonly type: string;
    readonly name?: string;
    readonly disable_parallel_tool_use?: boolean;
  };
  readonly thinking?: ThinkingSetting;
  readonly cache_control?: CacheControl | null;
  readonly stream?: boolean;
  readonly speed?: string;
  readonly stop_sequences?: readonly string[];
  readonly output_config?: { readonly effort?: string | null; readonly format?: unknown } | null;
  /** Came before `output_config.format`. */
  readonly output_format?: unknown;
  readonly fallbacks?: unknown;
  readonly diagnostics?: { readonly previous_message_id?: string | null } | null;
  readonly context_management?: { readonly edits?: readonly ContextEdit[] } | null;
  /** An extension of ours: see `prompt/cache-deletions.ts`. */
  readonly cache_edits?: { readonly deleted_tool_results?: readonly string[] } | null;
  readonly compaction?: { readonly type: string; readonly instructions?: string } | null;
  readonly thread?:
    | { readonly type: "create" }
    | { readonly type: "continue"; readonly previous_message_id: string }
    | null;
}

export interface Message {
  readonly role: "user" | "assistant" | "system";
  readonly content: string | readonly Block[];
  /** System messages only: whether the text is gone once the user has spoken again. */
  readonly clear_at?: "next_user_message" | "never" | null;
  /** System messages only: the effort from here on. */
  readonly output_config?: { readonly effort?: string | null } | null;
}

/** A content block: its type and whatever fields that type has. */
export interface Block {
  readonly type: string;
  readonly cache_control?: CacheControl | null;
  readonly [field: string]: unknown;
}

export interface Tool {
  /** All but a whole server's toolset have one. */
  readonly name?: string;
  readonly type?: string;
  readonly defer_loading?: boolean;
  readonly cache_control?: CacheControl | null;
  readonly [field: string]: unknown;
}

export interface CacheControl {
  readonly type: "ephemeral";
  readonly ttl?: "5m" | "1h";
}

export interface ThinkingSetting {
  readonly type: string;
  readonly budget_tokens?: number;
  readonly display?: string | null;
  readonly block_binding?: { readonly prefix_mismatch_behavior?: "error" | "drop_block" | null } | null;
}

export interface ContextEdit {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Properties of a call beside its body. */
export interface CallOptions {
  /** The `anthropic-version` header. @default the version that current clients send */
  readonly version?: string;
  /** The values of the `anthropic-beta` header. @default none */
  readonly betas?: readonly string[];
  /** The owner of the key: caches, threads and bound thinking never cross accounts. @default "default" */
  readonly account?: string;
  /** The `anthropic-workspace-id` header: caches do not cross workspaces either. @default none */
  readonly workspace?: string;
}

const CURRENT_VERSION = "2026-10-21";

/** Whether the call is made under the rules that came with version 2026-10-21. */
export function isCurrent(call: CallOptions): boolean {
  return (call.version ?? CURRENT_VERSION) >= CURRENT_VERSION;
}

export function hasBeta(call: CallOptions, ...anyOf: readonly string[]): boolean {
  return call.betas?.some((beta) => anyOf.includes(beta)) ?? false;
}

export const BETA = {
  contextManagement: "context-management-2025-06-27",
  thresholdCompaction: "compact-2026-01-12",
  onDemandCompaction: "compact-2026-09-04",
  windowStopReason: "model-context-window-exceeded-2025-08-26",
  bindingControls: "thinking-binding-controls-2026-08-01",
  threads: "message-threads-2026-08-12",
  advisor: "advisor-tool-2026-03-01",
  clearAt: "mid-conversation-system-clear-at-2026-08-21",
  displayUpdates: "thinking-display-updates-2026-08-18",
  taskBudgets: "task-budgets-2026-03-13",
  toolChanges: "mid-conversation-tool-changes-2026-07-01",
  inlineTools: "inline-tools-2026-09-15",
  messageOutputConfig: "mid-conversation-output-config-2026-07-01",
  structuredOutputs: "structured-outputs-2025-11-13",
  /** Our own extension, not a beta of the provider. */
  cacheEdits: "provider-simulator-cache-edits",
} as const;

/** Features whose rules changed with their beta: any of these turns them on. */
export const BETAS = {
  mcp: ["mcp-client-2025-04-04", "mcp-client-2025-11-20", "mcp-client-2026-09-15"],
  fallbacks: ["server-side-fallback-2026-06-01", "server-side-fallback-2026-07-01"],
} as const;

export function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

export function isThinking(block: Block): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** A compaction block that replaces earlier messages. A block without content has failed, and replaces nothing. */
export function isSummary(block: Block): boolean {
  return block.type === "compaction" && Boolean(block["content"]);
}
