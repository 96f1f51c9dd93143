import type { HookEvent, HookInputs, HookOutputs } from "./hook-event.ts";

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

/** The hooks of a program. */
export interface Hooks {
  /** Runs all hooks of an event at once. Never rejects: failures are among the results. */
  run<Event extends HookEvent>(
    event: Event,
    input: HookInputs[Event],
    options?: { readonly signal?: AbortSignal },
  ): Promise<HookResults<Event>>;
}
