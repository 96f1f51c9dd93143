import type { HookEvent, HookInputs, HookOutputs } from "./hook-event.ts";

/** Something that is to be done at an event, by the embedding program or by a command (`commandHook`). */
export type Hook = { readonly [Event in HookEvent]: HookAt<Event> }[HookEvent];

export interface HookAt<Event extends HookEvent> {
  readonly event: Event;
  readonly run: HookRun<Event>;
  /** How results and failures name it. @default the event and its place in the list */
  readonly name?: string;
  /** For tool events: names of tools, several with "|" between them, "*" for any characters. @default "*" */
  readonly tools?: string;
  /** After that it is given up: its signal aborts, and what it would have said is not waited for. @default 60,000 */
  readonly timeoutMs?: number;
}

/**
 * A text is taken as a command's output is: JSON if it begins with "{", and else the one thing that a hook of this event
 * usually says. Whoever blocks the thread blocks the session with it: a deadline holds for what waits.
 */
export type HookRun<Event extends HookEvent> = (
  input: HookInputs[Event],
  context: HookContext,
) => HookAnswer<Event> | Promise<HookAnswer<Event>>;

// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is a hook that has nothing to say.
export type HookAnswer<Event extends HookEvent> = HookOutputs[Event] | string | undefined | void;

export interface HookContext {
  readonly event: HookEvent;
  /** Aborts at the hook's deadline, and when whoever runs the hooks gives up. */
  readonly signal: AbortSignal;
}

/** What all hooks of an event have said, in the order of the list and not in that of their answers. */
export interface HookResults<Event extends HookEvent> {
  /** How many hooks the event has. */
  readonly ran: number;
  /** The first that blocks. */
  readonly blocked?: { readonly reason: string; readonly by: string };
  readonly outputs: readonly { readonly by: string; readonly output: HookOutputs[Event] }[];
  readonly failures: readonly HookFailure[];
  /** For the user. */
  readonly messages: readonly string[];
}

/** `invalid`: it has said something that no hook of this event can say. */
export interface HookFailure {
  readonly by: string;
  readonly kind: "timeout" | "aborted" | "error" | "invalid";
  readonly message: string;
}

/** The hooks of a program. */
export interface Hooks {
  /** Runs all hooks of an event at once. Never rejects: what goes wrong is among the results. */
  run<Event extends HookEvent>(
    event: Event,
    input: HookInputs[Event],
    options?: { readonly signal?: AbortSignal },
  ): Promise<HookResults<Event>>;
}
