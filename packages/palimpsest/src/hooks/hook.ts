// The types of hooks: events, inputs, answers and results.

import type { CompactionTrigger } from "../log/payload-compaction.ts";

/** The hooks of a program. */
export interface Hooks {
  /** Runs all hooks for an event at once. Never rejects: failures are among the results. */
  run<Event extends HookEvent>(
    event: Event,
    input: HookInputs[Event],
    options?: { readonly signal?: AbortSignal },
  ): Promise<HookResults<Event>>;
}

/** An event at which hooks run. */
export type HookEvent = keyof HookInputs;

/** An action at an event: a function of the host, or a command (`commandHook`). */
export type Hook = { readonly [Event in HookEvent]: HookAt<Event> }[HookEvent];

/** A hook: its event, what it runs, and its deadline. */
export interface HookAt<Event extends HookEvent> {
  readonly event: Event;
  readonly run: HookRun<Event>;
  /** The name of the hook in results and failures. @default the event and its place in the list */
  readonly name?: string;
  /** For tool events: tool names, several with "|" between them, "*" for any characters. @default "*" */
  readonly tools?: string;
  /** The deadline. When it passes, the hook's signal aborts, and the answer is no longer awaited. @default 60,000 */
  readonly timeoutMs?: number;
}

/**
 * Runs the hook. A text is read like a command's output: as JSON if it begins with "{", otherwise as the usual answer of this
 * event. The deadline applies only to asynchronous work: a hook that blocks the thread blocks the session.
 */
export type HookRun<Event extends HookEvent> = (
  input: HookInputs[Event],
  context: HookContext,
) => HookAnswer<Event> | Promise<HookAnswer<Event>>;

/** What a hook returns: an output for its event, a text for the model, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may be a function without a result.
export type HookAnswer<Event extends HookEvent> = HookOutputs[Event] | string | undefined | void;

/** The event of a hook, and the signal that stops the hook. */
export interface HookContext {
  readonly event: HookEvent;
  /** Aborts at the hook's deadline, and when the caller aborts. */
  readonly signal: AbortSignal;
}

/** The input of a hook for each event, as plain JSON. A command gets the input on its standard input. */
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
  /** Cannot be blocked. If a hook blocks, the user sees the reason. */
  readonly SessionStart: SessionInput & { readonly source: "startup" | "resume" | "clear" | "compact" };
  /** Runs after the session is closed and its log is complete. Cannot be blocked; only the listener gets messages. */
  readonly SessionEnd: SessionInput;
  /** Runs when the model has finished its turn. Blocking makes the model continue, with the reason as a message. */
  readonly Stop: SessionInput;
  readonly SubagentStart: SessionInput & AgentInput;
  /** Blocking makes the agent continue, as with `Stop`. */
  readonly SubagentStop: SessionInput & AgentInput;
  readonly PermissionRequest: SessionInput & ToolInput;
  readonly PreToolUse: SessionInput & ToolInput;
  readonly PostToolUse: SessionInput & ToolInput & { readonly toolResult: string; readonly status: "ok" | "error" };
  /** Runs when an instruction file of the user has become part of the request. */
  readonly InstructionsLoaded: SessionInput & { readonly path: string };
}

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

/** The answers of all hooks for an event, in list order. */
export interface HookResults<Event extends HookEvent> {
  /** The number of hooks for the event. */
  readonly ran: number;
  /** The first answer in the list that blocks. */
  readonly blocked?: { readonly reason: string; readonly by: string };
  readonly outputs: readonly { readonly by: string; readonly output: HookOutputs[Event] }[];
  readonly failures: readonly HookFailure[];
  /** For the user. */
  readonly messages: readonly string[];
}

/** `invalid`: the answer is not possible for this event. */
export interface HookFailure {
  readonly by: string;
  readonly kind: "timeout" | "aborted" | "error" | "invalid";
  readonly message: string;
}

/** Returns the context that hooks add for the model; undefined if no hook adds any. */
export function addedContext({
  outputs,
}: HookResults<"SessionStart" | "SubagentStart" | "PostToolUse">): string | undefined {
  const texts = outputs.flatMap(({ output }) => output.additionalContext?.trim() || []);
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** Merges the user's instructions for a summary with those that hooks add. Repeated instructions appear once. */
export function mergeInstructions(
  customInstructions: string | undefined,
  { outputs }: HookResults<"PreCompact">,
): string | undefined {
  const all = [customInstructions, ...outputs.map(({ output }) => output.newCustomInstructions)];
  // Providers refuse a text with half a surrogate pair.
  const texts = new Set(all.flatMap((one) => one?.trim().toWellFormed() || []));
  return texts.size === 0 ? undefined : [...texts].join("\n\n");
}
