// The types of hooks: events, inputs, answers and results.
import type { CompactionTrigger } from "../log/payload-compaction.ts";

/** The hooks of a program. */
export interface Hooks {
  /** Runs all hooks of an event at once. Never rejects: failures are among the results. */
  run<Event extends HookEvent>(
    event: Event,
    input: HookInputs[Event],
    options?: { readonly signal?: AbortSignal },
  ): Promise<HookResults<Event>>;
}

/** An event at which hooks run. */
export type HookEvent = keyof HookInputs;

/** An action at an event, run by the embedding program or by a command (`commandHook`). */
export type Hook = { readonly [Event in HookEvent]: HookAt<Event> }[HookEvent];

/** A hook: its event, what it runs, and its deadline. */
export interface HookAt<Event extends HookEvent> {
  readonly event: Event;
  readonly run: HookRun<Event>;
  /** The name of the hook in results and failures. @default the event and its place in the list */
  readonly name?: string;
  /** For tool events: names of tools, several with "|" between them, "*" for any characters. @default "*" */
  readonly tools?: string;
  /** The deadline. After it the hook's signal aborts, and its answer is no longer awaited. @default 60,000 */
  readonly timeoutMs?: number;
}

/**
 * Runs the hook. A text is read like a command's output: as JSON if it begins with "{", otherwise as the usual answer of this
 * event. A hook that blocks the thread blocks the session: the deadline applies only to asynchronous work.
 */
export type HookRun<Event extends HookEvent> = (
  input: HookInputs[Event],
  context: HookContext,
) => HookAnswer<Event> | Promise<HookAnswer<Event>>;

/** What a hook returns: an output for its event, a text for the model, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is a hook that has nothing to say.
export type HookAnswer<Event extends HookEvent> = HookOutputs[Event] | string | undefined | void;

/** The event that a hook runs at, and the signal that ends it. */
export interface HookContext {
  readonly event: HookEvent;
  /** Aborts at the hook's deadline, and when the caller gives up. */
  readonly signal: AbortSignal;
}

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

/** The answers of all hooks of an event, in the order of the list, not of their arrival. */
export interface HookResults<Event extends HookEvent> {
  /** The number of hooks of the event. */
  readonly ran: number;
  /** The first answer that blocks. */
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

/** Returns the context that hooks add for the model; undefined if there is none. */
export function addedContext({
  outputs,
}: HookResults<"SessionStart" | "SubagentStart" | "PostToolUse">): string | undefined {
  const said = outputs.flatMap(({ output }) => output.additionalContext?.trim() || []);
  return said.length === 0 ? undefined : said.join("\n\n");
}

/** Merges the instructions for a summary: the user's, and those that hooks add, each once. */
export function mergeInstructions(
  customInstructions: string | undefined,
  { outputs }: HookResults<"PreCompact">,
): string | undefined {
  const all = [customInstructions, ...outputs.map(({ output }) => output.newCustomInstructions)];
  // A service refuses a text with half a character.
  const said = new Set(all.flatMap((one) => one?.trim().toWellFormed() || []));
  return said.size === 0 ? undefined : [...said].join("\n\n");
}
