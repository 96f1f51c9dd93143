import { namedKind, readPayload, toDraft, toNamedDraft } from "../log/draft.ts";
import { type NewContent, toContents, toolResult } from "../log/messages.ts";
import type { SaidBy } from "../log/payload-turn.ts";
import type { SessionCore } from "../state/core.ts";
import type { ContentInlet } from "../state/ports.ts";
import { usageDraft } from "../state/responses.ts";
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

/** The parts of a session that its turn needs. */
interface TurnParts extends SessionCore {
  readonly inlet: ContentInlet;
}

export function next({ id, state }: SessionCore): NextInTurn {
  return nextInTurn(state.view, state.carriedState.turn, id);
}

/** Records an answer to a question for permission. */
export async function decide(
  core: SessionCore,
  callId: string,
  { kind, by, reason }: CallDecision,
): Promise<CallDecided> {
  const now = next(core);
  const isWaiting =
    now.kind === "calls" && now.calls.some(({ call, step }) => call.id === callId && step === "waiting");
  if (!isWaiting) return "not-waiting";
  const step = kind === "allow" ? "allowed" : "denied";
  await core.state.append([toDraft("call", { step, call: callId, by, reason })]);
  return "recorded";
}

/** Answers the open calls of the turn, so that nobody runs them later. */
export async function stop(parts: TurnParts, { by, reason }: SaidBy): Promise<readonly StoppedCall[]> {
  const now = next(parts);
  if (now.kind === "nothing") return [];
  const open = now.kind === "calls" ? now.calls : [];
  const results = open.map((one) => toolResult(one.call.id, resultOfStopped(one), "error"));
  await parts.inlet.append(results, [], [toDraft("turn", { step: "stopped", by, reason })]);
  return open.map((one): StoppedCall => ({ call: one.call, how: endingOf(one) }));
}

function resultOfStopped(call: OpenCall): string {
  if (call.step === "superseded") return SUPERSEDED;
  return endingOf(call) === "unknown" ? MAY_HAVE_RUN : NOT_RUN;
}

/** Appends an item of a numbered queue, unless its number was taken in before. */
export async function takeIn(parts: TurnParts, item: QueuedContent): Promise<TakenIn> {
  const { queue, number, content, traceparent, used = [] } = item;
  const newest = await taken(parts, queue);
  if (newest !== undefined && newest.number >= number) return "known";
  const list = isList(content) ? content : [content];
  const entries = list.flatMap(toContents).length;
  // The content stands directly behind this mark.
  const mark = toNamedDraft("taken", sha256(queue), { queue, number, entries, traceparent });
  await parts.inlet.append(list, [...used.map((one) => usageDraft(one, parts.ports.facts)), mark]);
  return "taken";
}

/** The newest item of a queue, on any branch: a rewind does not undo its delivery. */
export async function taken({ state }: SessionCore, queue: string): Promise<TakenItem | undefined> {
  const newest = await state.log.newest(namedKind("taken", sha256(queue)));
  const read = newest && readPayload(newest);
  if (read?.kind !== "taken") return undefined;
  const { number, traceparent } = read.payload;
  return { number, traceparent };
}

function isList(content: NewContent | readonly NewContent[]): content is readonly NewContent[] {
  return Array.isArray(content);
}
