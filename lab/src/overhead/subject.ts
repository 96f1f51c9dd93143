import type { Round } from "./transcript.ts";

/** Something that is asked, before every request, to keep a conversation inside its window. */
export interface Subject {
  readonly name: string;
  /** Whether it knows how full the window is. */
  readonly counts: "tokens" | "nothing";
  /** A conversation that has come as far as these rounds. Not timed. */
  begin(rounds: Iterable<Round>): Promise<Conversation>;
}

export interface Conversation {
  /** Takes the model's call of a round, and makes its result ready in the subject's own form. Timed on its own. */
  next(round: Round): Promise<Turn>;
}

/** Appends the result, and does what has to be done before the next request. This is what is compared. */
export type Turn = () => unknown;
