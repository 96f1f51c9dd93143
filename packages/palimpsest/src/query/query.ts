import { subtractTotals } from "../cost/ledger.ts";
import type { Session } from "../session/session.ts";
import type { NewContent } from "../session/to-contents.ts";
import type { QueryEvent, QueryOutcome, TurnEnd } from "../turn/permission.ts";
import { type StepOptions, withEvents } from "../turn/query.ts";
import { type StepContext, takeStep } from "../turn/step.ts";
import { checkStep } from "./step-turn.ts";

/** Options of `query`: the prompt, the tools, who may run them, and limits. All are optional. */
export interface QueryOptions extends StepOptions {
  /**
   * The user's message. Calls that an earlier process left open are answered first, and not run. @default none: the turn
   * continues from the log; if it is over, the model is asked to go on
   */
  readonly prompt?: NewContent | readonly NewContent[];
  /** The maximum number of responses in one turn. @default unlimited */
  readonly maxRounds?: number;
  /**
   * Starts work in the background once the model has finished. Nobody waits for it, and its errors are its own. @default none
   */
  readonly afterTurn?: (session: Session) => Promise<void>;
}

/**
 * Runs one turn of a session through its provider's client: sends the new content, runs the tools that the model calls, and
 * continues until the model has finished. Yields events, returns how the turn ended. Nothing starts before the first pull, and
 * a consumer that stops (`return`, `break`) stops the turn. All lasting state is in the session's log: after a crash, a query
 * without a prompt continues. It takes the steps of `stepTurn`, one after another.
 */
export async function* query(session: Session, options: QueryOptions = {}): AsyncGenerator<QueryEvent, QueryOutcome> {
  checkStep("query", session, options);
  const { prompt, maxRounds = Number.POSITIVE_INFINITY, afterTurn } = options;
  const content = prompt === undefined ? [] : isList(prompt) ? prompt : [prompt];
  const before = session.ledger.totals();
  let rounds = 0;
  const end = yield* withEvents<TurnEnd>(session, options, async (context) => {
    await begin(context, content);
    for (;;) {
      if (rounds >= maxRounds && session.turn.next().kind === "request") return { kind: "rounds-used-up" };
      const { rounds: more, ...taken } = await takeStep(context);
      rounds += more;
      if (taken.kind !== "responded" && taken.kind !== "ran" && taken.kind !== "continued") return taken;
    }
  });
  const outcome: QueryOutcome = { ...end, rounds, usage: subtractTotals(session.ledger.totals(), before) };
  if (end.kind === "done" && afterTurn !== undefined) inBackground(() => afterTurn(session));
  yield { kind: "turn-ended", outcome };
  return outcome;
}

/** Says what is new. With something new, what an earlier process left open is not run any more. */
async function begin({ session, emit }: StepContext, content: readonly NewContent[]): Promise<void> {
  const next = session.turn.next();
  // Calls that wait for permission are answered by what the user says.
  const isCutOff = next.kind === "calls" && next.calls.some(({ step }) => step !== "waiting");
  if (content.length > 0 && isCutOff) {
    const stopped = await session.turn.stop();
    for (const { call, how } of stopped) emit({ kind: "tool-ended", call, status: "error", how });
  }
  if (content.length > 0 || next.kind === "nothing") await session.append(content, { answer: "wanted" });
}

function isList(prompt: NewContent | readonly NewContent[]): prompt is readonly NewContent[] {
  return Array.isArray(prompt);
}

function inBackground(work: () => Promise<void>): void {
  void Promise.resolve()
    .then(work)
    .catch(() => undefined);
}
