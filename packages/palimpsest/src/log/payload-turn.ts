/** Why the model stopped, as far as it decides what happens next. The names are those of `ResponseContent`. */
export type AnswerStop = "end" | "tools" | "length" | "window" | "paused" | "refused" | "compacted" | "other";

/**
 * What there is to do for a turn. `idle`: nothing. `unanswered`: the model has something to answer. `cut`: its answer was cut
 * at a limit, and it may be asked to continue.
 */
export type TurnPhase = "idle" | "unanswered" | "cut";

/** A step of a turn that its messages do not tell. Most turns have none. */
export type TurnPayload =
  /** Content wants an answer that does not ask for one by itself, such as an attachment. */
  | { readonly step: "opened" }
  /**
   * A response that did not simply end, or that said nothing; written together with it. `cuts`: how many responses in a row
   * were cut at a limit, this one included.
   */
  | { readonly step: "answered"; readonly stop: AnswerStop; readonly phase: TurnPhase; readonly cuts?: number }
  /** The model is asked to continue, because its answer was cut or because a hook does not let it stop. */
  | { readonly step: "continued"; readonly why: "cut-off" | "hook" }
  /** The turn ended although the model was not done: it refused, or was cut too often. */
  | { readonly step: "ended"; readonly stop: AnswerStop }
  /** Somebody ended the turn. All of its calls are answered. */
  | ({ readonly step: "stopped" } & SaidBy);

/** Who decided something, and why, for people who read the log. */
export interface SaidBy {
  readonly by?: string;
  readonly reason?: string;
}

/** What became of calls of the newest response, before they have their results. A call without such an entry is only asked for. */
export type CallPayload =
  /** The calls are not to be run. `cut`: the response was cut, and the call may be incomplete. */
  | { readonly step: "void"; readonly calls: readonly string[]; readonly why: "cut" | "refused" }
  /** Somebody was asked for permission and answers later. `input`: what a hook made of the input, if one changed it. */
  | { readonly step: "waiting"; readonly call: string; readonly reason?: string; readonly input?: unknown }
  | ({ readonly step: "allowed" | "denied"; readonly call: string } & SaidBy)
  /** A tool that must not run twice is about to run. */
  | { readonly step: "begun"; readonly call: string };

/**
 * The entries behind this one came from a numbered queue. Its kind is `taken:` and the digest of the queue's name, so that the
 * newest number is found without reading the log.
 */
export interface TakenPayload {
  readonly queue: string;
  readonly number: number;
  /** How many entries of content stand directly behind it. */
  readonly entries: number;
  /** The W3C trace context that the item came with. @default none */
  readonly traceparent?: string;
}
