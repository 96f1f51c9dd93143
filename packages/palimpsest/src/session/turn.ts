import { namedKind, readPayload, toDraft, toNamedDraft } from "../log/draft.ts";
import { type NewContent, toContents, toolResult } from "../log/messages.ts";
import type { SaidBy } from "../log/payload-turn.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { Contents } from "../state/ports.ts";
import { usageDraft } from "../state/responses.ts";
import type { SessionState } from "../state/state.ts";
import { sha256 } from "../stores/sha256.ts";
import { type NextInTurn, nextInTurn, type OpenCall } from "../view/turn.ts";

import type { CallDecided, CallDecision, QueuedContent, StoppedCall, TakenIn, TakenItem } from "./session.ts";

/** Results that the model reads in place of those of a tool. They are part of the prompt. */

/** Of calls that had not started when the turn ended. */
export const NOT_RUN = "This call was not run: the turn ended before.";

/** Of calls that a process began which is gone, and that must not run twice. */
export const MAY_HAVE_RUN: string =
  "The outcome of this call is unknown: the program ended while it was open. It may have run, in part or in full. " +
  "Look at what is there before you call it again.";

/** Of a call at the end of a response that was cut. */
export const CUT_OFF =
  "This call was not run: the answer was cut at its length limit, and the call may not be whole. Make it again, in smaller parts.";

/** Of a call that waited for permission when the user said something new. */
export const SUPERSEDED =
  "This call was not run: it needed permission, and the user said something else instead of giving it.";

/** Of a call that was open when this session was forked from another. */
export const ELSEWHERE =
  "This call belongs to the conversation that this one was forked from. It runs there, if at all, and its result is not known here.";

/** Of a call that somebody did not allow. */
export function notAllowed(reason: string): string {
  return `This call was not allowed: ${reason}`;
}

/** Whether a call that is not run any more may have taken effect. */
export function endingOf({ step }: Pick<OpenCall, "step">): "not-run" | "unknown" {
  return step === "begun" || step === "unlogged" ? "unknown" : "not-run";
}

/** What a session knows and writes of its turn. One operation at a time: the caller keeps the order. */
interface TurnSteps {
  next(): NextInTurn;
  decide(callId: string, decision: CallDecision): Promise<CallDecided>;
  stop(said: SaidBy): Promise<readonly StoppedCall[]>;
  takeIn(item: QueuedContent): Promise<TakenIn>;
  taken(queue: string): Promise<TakenItem | undefined>;
}

interface TurnStepsParts {
  readonly session: string;
  readonly state: SessionState;
  readonly contents: Pick<Contents, "append">;
  factsOf(model: string): ModelFacts;
}

export function createTurnSteps({ session, state, contents, factsOf }: TurnStepsParts): TurnSteps {
  const next = (): NextInTurn => nextInTurn(state.view, state.carriedState.turn, session);
  /** On any branch: what a rewind has taken back was delivered all the same. */
  async function taken(queue: string): Promise<TakenItem | undefined> {
    const newest = await state.log.newest(namedKind("taken", sha256(queue)));
    const read = newest && readPayload(newest);
    if (read?.kind !== "taken") return undefined;
    const { number, traceparent } = read.payload;
    return { number, ...(traceparent === undefined ? {} : { traceparent }) };
  }
  return {
    next,

    async decide(callId, { kind, by, reason }) {
      const now = next();
      const isWaiting =
        now.kind === "calls" && now.calls.some(({ call, step }) => call.id === callId && step === "waiting");
      if (!isWaiting) return "not-waiting";
      const step = kind === "allow" ? "allowed" : "denied";
      await state.append([toDraft("call", { step, call: callId, ...saidBy({ by, reason }) })]);
      return "recorded";
    },

    async stop(said) {
      const now = next();
      if (now.kind === "nothing") return [];
      const open = now.kind === "calls" ? now.calls : [];
      const stopped = open.map((call): StoppedCall => ({ call: call.call, how: endingOf(call) }));
      const results = open.map(({ call, step }) =>
        toolResult(
          call.id,
          step === "superseded" ? SUPERSEDED : endingOf({ step }) === "unknown" ? MAY_HAVE_RUN : NOT_RUN,
          "error",
        ),
      );
      await contents.append(results, [], [toDraft("turn", { step: "stopped", ...saidBy(said) })]);
      return stopped;
    },

    taken,

    async takeIn({ queue, number, content, traceparent, used = [] }) {
      const newest = await taken(queue);
      if (newest !== undefined && newest.number >= number) return "known";
      const list = isList(content) ? content : [content];
      const entries = list.flatMap(toContents).length;
      const item = { queue, number, entries, ...(traceparent === undefined ? {} : { traceparent }) };
      // Its contents stand directly behind the mark.
      const mark = toNamedDraft("taken", sha256(queue), item);
      await contents.append(list, [...used.map((one) => usageDraft(one, factsOf)), mark]);
      return "taken";
    },
  };
}

/** Without fields that were not given: JSON has no place for them. */
function saidBy({ by, reason }: { readonly [Name in keyof SaidBy]?: SaidBy[Name] | undefined }): SaidBy {
  return { ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) };
}

function isList(content: NewContent | readonly NewContent[]): content is readonly NewContent[] {
  return Array.isArray(content);
}
