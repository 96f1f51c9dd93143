import type { ToolCall } from "../log/block.ts";
import type { AnswerStop } from "../log/payload-turn.ts";
import { answerText } from "./answer-text.ts";
import { type FoundCall, openCalls } from "./open-calls.ts";
import type { CallState, CallStep, TurnState } from "./turn.ts";
import type { View } from "./view.ts";

/** What has to happen next for a turn to come to its end, from the log alone. */
export type NextInTurn =
  /** Calls of the newest response have no result yet, in the order in which the model made them. */
  | { readonly kind: "calls"; readonly calls: readonly OpenCall[] }
  /** The model has something to answer. */
  | {
      readonly kind: "request";
      /** `cut`: its newest answer was cut at a limit, and it may be asked to continue. */
      readonly answer: "awaited" | "cut";
      /** How many answers in a row were cut. */
      readonly cuts: number;
    }
  /** The turn is over, or there was none. */
  | {
      readonly kind: "nothing";
      /** The model's newest answer, with the parts of it that were cut; empty if there is none, or a compaction hides it. */
      readonly text: string;
      /** Why the model stopped. */
      readonly stop: AnswerStop;
      /** How often hooks have kept the model from stopping in this turn. */
      readonly stopBlocks: number;
    };

/** A call without a result. */
export interface OpenCall extends Omit<CallState, "id" | "step"> {
  readonly call: ToolCall;
  /** How far it has come. `unlogged`: nobody logs its beginning, so it may have run. */
  readonly step: CallStep | "unlogged";
  /** The same wherever and whenever the call is run, and different for every other call. */
  readonly key: string;
}

/** Returns the next step of a turn. @param session the id of the session: a part of the calls' keys */
export function nextInTurn(view: Pick<View, "items">, turn: TurnState, session: string): NextInTurn {
  const open = openCalls(view);
  if (open.length > 0) return { kind: "calls", calls: withSteps(open, turn.calls, session) };
  const { phase, cuts, stopBlocks, stop = "end" } = turn;
  if (phase === "idle") return { kind: "nothing", text: answerText(view.items), stop, stopBlocks };
  return { kind: "request", answer: phase === "cut" ? "cut" : "awaited", cuts };
}

function withSteps(open: readonly FoundCall[], states: readonly CallState[], session: string): readonly OpenCall[] {
  const left = [...states];
  return open.map(({ call, entry, count }) => {
    const at = left.findIndex(({ id }) => id === call.id);
    const [state] = at < 0 ? [] : left.splice(at, 1);
    const key = `${session}/${entry}/${call.id}${count === 1 ? "" : `/${count}`}`;
    if (state === undefined) return { call, key, step: "unlogged" };
    const { id: _, ...rest } = state;
    return { call, key, ...rest };
  });
}
