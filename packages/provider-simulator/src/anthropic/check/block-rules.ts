import { BETA, BETAS, type Message } from "../request.ts";

type Role = Message["role"];

/** The roles that may send a block, its required fields, and its optional ones. */
export interface BlockRule {
  readonly roles: readonly Role[];
  readonly strings: readonly string[];
  readonly records: readonly string[];
  readonly fields: ReadonlySet<string>;
  /** Known only to callers who ask for one of these. */
  readonly betas: readonly string[] | undefined;
}

function rule(
  roles: readonly Role[],
  { strings = [], records = [], optional = ["cache_control"], betas }: RuleOptions = {},
): BlockRule {
  return { roles, strings, records, fields: new Set(["type", ...strings, ...records, ...optional]), betas };
}

interface RuleOptions {
  strings?: readonly string[];
  records?: readonly string[];
  /** @default a cache mark */
  optional?: readonly string[];
  betas?: readonly string[];
}

const serverResult = (options: RuleOptions = {}): BlockRule =>
  rule(["assistant"], { strings: ["tool_use_id"], optional: ["content", "caller", "cache_control"], ...options });
const toolChange = rule(["system"], { records: ["tool"], betas: [BETA.toolChanges, BETA.inlineTools] });

/** Every block the service knows, field by field as in the client library's types. */
export const BLOCK_RULES: ReadonlyMap<string, BlockRule> = new Map([
  ["text", rule(["user", "assistant", "system"], { strings: ["text"], optional: ["cache_control", "citations"] })],
  ["image", rule(["user"], { records: ["source"], optional: ["cache_control", "transformations"] })],
  [
    "document",
    rule(["user", "assistant"], { records: ["source"], optional: ["cache_control", "citations", "context", "title"] }),
  ],
  [
    "search_result",
    rule(["user"], { strings: ["source", "title"], optional: ["cache_control", "citations", "content"] }),
  ],
  ["thinking", rule(["assistant"], { strings: ["thinking", "signature"], optional: [] })],
  ["redacted_thinking", rule(["assistant"], { strings: ["data"], optional: [] })],
  [
    "tool_use",
    rule(["assistant"], {
      strings: ["id", "name"],
      records: ["input"],
      optional: ["cache_control", "caller", "toolset_name"],
    }),
  ],
  [
    "tool_result",
    rule(["user"], {
      strings: ["tool_use_id"],
      optional: ["cache_control", "content", "is_error", "toolset_name"],
    }),
  ],
  [
    "server_tool_use",
    rule(["assistant"], { strings: ["id", "name"], records: ["input"], optional: ["cache_control", "caller"] }),
  ],
  ["web_search_tool_result", serverResult()],
  ["web_fetch_tool_result", serverResult()],
  ["code_execution_tool_result", serverResult()],
  ["bash_code_execution_tool_result", serverResult()],
  ["text_editor_code_execution_tool_result", serverResult()],
  ["tool_search_tool_result", serverResult()],
  ["advisor_tool_result", serverResult({ betas: [BETA.advisor] })],
  ["container_upload", rule(["user"], { strings: ["file_id"] })],
  [
    "compaction",
    rule(["user", "assistant", "system"], {
      optional: ["cache_control", "content", "encrypted_content", "signature", "tool_changes"],
      betas: [BETA.thresholdCompaction, BETA.onDemandCompaction],
    }),
  ],
  [
    "mcp_tool_use",
    rule(["assistant"], { strings: ["id", "name", "server_name"], records: ["input"], betas: BETAS.mcp }),
  ],
  ["mcp_tool_result", serverResult({ optional: ["content", "is_error", "cache_control"], betas: BETAS.mcp })],
  ["tool_addition", toolChange],
  ["tool_removal", toolChange],
]);

/** Blocks that a tool result may contain. */
export const RESULT_PART_RULES: ReadonlyMap<string, BlockRule> = new Map([
  ...["text", "image", "search_result", "document"].map((type) => [type, BLOCK_RULES.get(type)!] as const),
  ["tool_reference", rule(["user"], { strings: ["tool_name"] })],
  ["browser_state", rule(["user"], { optional: ["tabs", "state_changes", "cache_control"] })],
]);
