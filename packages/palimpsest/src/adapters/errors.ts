import { PalimpsestError, type SessionLostError } from "../errors.ts";

/** Other processes have taken a session over again and again. Nothing was sent. */
export class SessionContendedError extends PalimpsestError {
  static readonly code = "session-contended";
  readonly code: string = SessionContendedError.code;
  readonly session: string;

  constructor({ session, message }: SessionLostError, attempts: number) {
    super(
      `Other processes took session ${session} over ${attempts} times in a row, so nothing was sent to the model. Run the call ` +
        `again, and let one process at a time answer a conversation. The last time: ${message}`,
    );
    this.session = session;
  }
}

/** The caller has an answer that is not in the log. */
export class UnrecordedAnswerError extends PalimpsestError {
  static readonly code = "unrecorded-answer";
  readonly code: string = UnrecordedAnswerError.code;
  readonly session: string;

  /** @param price `later`: the next call enters it. `unknown`: nobody knows whether the store has it. */
  constructor(session: string, cause: unknown, price: "later" | "unknown") {
    const why = cause instanceof Error ? cause.message : String(cause);
    const spent =
      price === "later" ? "The next call of this process enters its price." : "Its price may be missing in the ledger.";
    super(
      `The model's answer was passed on but not recorded in session ${session}. The next call brings it again. ${spent} ` +
        `The cause: ${why}`,
      { cause },
    );
    this.session = session;
  }
}
