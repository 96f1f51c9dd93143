import type { CompactionTrigger } from "../log/payload-compaction.ts";

/** The input of a hook for each event. All of it is plain JSON: a command gets it on its standard input. */
export interface HookInputs {
  /** Runs before a compaction. Blocking it leaves the session unchanged. */
  readonly PreCompact: SessionInput & {
    readonly trigger: CompactionTrigger;
    /** The user's instructions for the summary. */
    readonly customInstructions?: string;
  };
  readonly PostCompact: SessionInput & {
    readonly trigger: CompactionTrigger;
    readonly summary: string;
    readonly tokensBefore: number;
    readonly tokensAfter: number;
  };
  /** Cannot be blocked: the user sees the reason. */
  readonly SessionStart: SessionInput & { readonly source: "startup" | "resume" | "clear" | "compact" };
  /** The session is closed, and its log is complete. Nothing can be blocked; only the listener gets messages. */
  readonly SessionEnd: SessionInput;
  /** The model has finished its turn. Blocking it makes the model continue, with the reason as its message. */
  readonly Stop: SessionInput;
  readonly SubagentStart: SessionInput & AgentInput;
  /** Blocking it makes the agent continue, as with `Stop`. */
  readonly SubagentStop: SessionInput & AgentInput;
  readonly PermissionRequest: SessionInput & ToolInput;
  readonly PreToolUse: SessionInput & ToolInput;
  readonly PostToolUse: SessionInput & ToolInput & { readonly toolResult: string; readonly status: "ok" | "error" };
  /** An instruction file of the user has become part of the request. */
  readonly InstructionsLoaded: SessionInput & { readonly path: string };
}

/** The possible answers of a hook for each event. A hook without an answer returns nothing. */
export interface HookOutputs {
  readonly PreCompact: CommonOutput & { readonly newCustomInstructions?: string };
  readonly PostCompact: CommonOutput;
  readonly SessionStart: CommonOutput & AddedContext;
  readonly SessionEnd: CommonOutput;
  readonly Stop: CommonOutput;
  readonly SubagentStart: CommonOutput & AddedContext;
  readonly SubagentStop: CommonOutput;
  /** Without a decision, the user is asked. */
  readonly PermissionRequest: CommonOutput & { readonly decision?: "allow" | "deny" };
  readonly PreToolUse: CommonOutput & { readonly newToolInput?: Readonly<Record<string, unknown>> };
  readonly PostToolUse: CommonOutput & AddedContext;
  readonly InstructionsLoaded: CommonOutput;
}

/** An event at which hooks run. */
export type HookEvent = keyof HookInputs;

interface SessionInput {
  readonly sessionId: string;
}

interface AgentInput {
  readonly agentId: string;
  readonly agentType: string;
}

interface ToolInput {
  readonly toolName: string;
  readonly toolInput: unknown;
  readonly callId: string;
}

interface CommonOutput {
  /** Blocks the action, with the reason. */
  readonly block?: string;
  /** For the user; the model does not see it. */
  readonly userDisplayMessage?: string;
}

interface AddedContext {
  /** For the model. */
  readonly additionalContext?: string;
}
