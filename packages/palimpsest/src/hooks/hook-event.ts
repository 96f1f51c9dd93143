import type { CompactionTrigger } from "../log/compaction-record.ts";

/** What a hook of each event is told. All of it is plain JSON: a command gets it on its standard input. */
export interface HookInputs {
  /** Before a compaction. Blocking it leaves the session as it is. */
  readonly PreCompact: SessionInput & {
    readonly trigger: CompactionTrigger;
    /** What the user asked the summary to heed. */
    readonly customInstructions?: string;
  };
  readonly PostCompact: SessionInput & {
    readonly trigger: CompactionTrigger;
    readonly summary: string;
    readonly tokensBefore: number;
    readonly tokensAfter: number;
  };
  /** Cannot be blocked: the reason is told to the user. */
  readonly SessionStart: SessionInput & { readonly source: "startup" | "resume" | "clear" | "compact" };
  /** The session is closed and whole in its log. Nobody is left to block, or to hear anything but the listener. */
  readonly SessionEnd: SessionInput;
  /** The model has finished its turn. Blocking it makes the model go on, with the reason as what it is told. */
  readonly Stop: SessionInput;
  readonly SubagentStart: SessionInput & AgentInput;
  /** Blocking it makes the agent go on, as `Stop` does. */
  readonly SubagentStop: SessionInput & AgentInput;
  readonly PermissionRequest: SessionInput & ToolInput;
  readonly PreToolUse: SessionInput & ToolInput;
  readonly PostToolUse: SessionInput & ToolInput & { readonly toolResult: string; readonly status: "ok" | "error" };
  /** A file of instructions that the user wrote has become part of the request. */
  readonly InstructionsLoaded: SessionInput & { readonly path: string };
}

/** What a hook of each event can say. A hook that has nothing to say returns nothing. */
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
  /** What was about to happen is not to happen, and why. */
  readonly block?: string;
  /** For the user; the model does not see it. */
  readonly userDisplayMessage?: string;
}

interface AddedContext {
  /** For the model. */
  readonly additionalContext?: string;
}
