import { aList, checkArgument, checkOptions, ifGiven, withMethods } from "../schema/check-options.ts";
import { checkTool } from "../schema/tool.ts";
import type { Session } from "../session/session.ts";
import type { QueryEvent } from "../turn/permission.ts";
import { type Ended, type StepOptions, withEvents } from "../turn/query.ts";
import { type TurnStep, takeStep } from "../turn/step.ts";

/**
 * Takes one step of a turn: one exchange with the model, or the calls of its response that may run together. `session.turn.next()` says
 * which, from the log alone, and nothing is kept in memory between steps: the next one can be taken by another process. A step that
 * was cut off because its process is gone is taken again: the same request is sent again, and a call is run again if its tool
 * allows it (`repeat`). Yields events, returns what was done. `query` is this in a loop.
 */
export async function* stepTurn(session: Session, options: StepOptions = {}): AsyncGenerator<QueryEvent, TurnStep> {
  checkStep("stepTurn", session, options);
  const step = yield* withEvents<TurnStep | Ended>(session, options, takeStep);
  return { rounds: 0, ...step };
}

/** @param of the function that they were passed to */
export function checkStep(of: string, session: unknown, options: unknown): void {
  const needed = withMethods(["append", "prepare", "record"], "a session: await openSession()");
  checkArgument(`${of}(session)`, session, needed);
  checkOptions(of, options, {
    tools: ifGiven(aList("a list of tools: tool({ name, description, input, run })")),
  });
  const { tools = [] } = options as { readonly tools?: readonly unknown[] };
  for (const one of tools) checkTool(`${of}(session, { tools }): tool`, one);
}
