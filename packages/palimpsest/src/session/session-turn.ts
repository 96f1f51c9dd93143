import type { CallPayload, SaidBy, TurnPayload } from "../log/payload-turn.ts";
import type { NextInTurn } from "../view/next-in-turn.ts";
import type { InterruptedAnswer, InterruptionOptions, RecordedInterruption } from "./interrupted-answer.ts";
import type { NewContent } from "./to-contents.ts";
import type { CallDecided, CallDecision, QueuedContent, StoppedCall, TakenIn, TakenItem } from "./turn/turn-options.ts";

/** The turn of a session: what it needs next, and what becomes of it. `stepTurn` and `query` run it. */
export interface SessionTurn<Request> {
  /**
   * Says what has to happen next for the turn to come to its end: calls that have no result yet, a request, or nothing. Read from
   * the log alone, so that any process knows it that opens the session. `stepTurn` does it.
   */
  next(): NextInTurn;
  /**
   * Records somebody's answer to a question for permission that a turn ended with (`waiting`). The next step acts on it, here or in
   * another process. Answered twice, the first answer holds.
   */
  decide(callId: string, decision: CallDecision): Promise<CallDecided>;
  /**
   * Ends the turn for the user, whether a process runs it or not: answers its open calls, so that nobody runs them later. Resolves
   * to those calls. A turn that runs in this process is stopped by its `signal`.
   */
  stop(said?: SaidBy): Promise<readonly StoppedCall[]>;
  /**
   * Appends an item of a numbered queue together with its number: it is in the log once, however often it is delivered, also
   * after a rewind. Items are taken in by rising numbers.
   */
  takeIn(item: QueuedContent): Promise<TakenIn>;
  /** The newest item of a queue that was taken in, also if a rewind has taken it back. Undefined if there was none. */
  taken(queue: string): Promise<TakenItem | undefined>;
  /**
   * Records an answer that was stopped before its end. Its text stays in view, followed by a marker. The ledger counts its price,
   * as the provider reported it or as an estimate. Thinking and unfinished calls are left out, because no provider accepts them
   * back.
   * @param request the request that it answers, as `prepare` returned it. @default the newest request
   */
  recordInterrupted(
    answer: InterruptedAnswer,
    request?: Request,
    options?: InterruptionOptions,
  ): Promise<RecordedInterruption>;
  /** Records how far a call has come, for the code that runs turns. */
  enterCall(step: CallPayload): Promise<void>;
  /** Records a step that messages do not tell, together with content for the model, both or neither: for the code that runs turns. */
  enterStep(step: TurnPayload, ...told: readonly NewContent[]): Promise<void>;
}
