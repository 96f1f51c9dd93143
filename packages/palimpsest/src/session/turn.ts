// The turn of a session: its next step, answers to questions for permission, queues, and stopping.

import { namedKind, readPayload, toDraft, toNamedDraft } from "../log/entry.ts";
import { type NewContent, toContents, toolResult } from "../log/messages.ts";
import type { SaidBy } from "../log/payload-turn.ts";
import type { SessionCore } from "../state/core.ts";
import type { ContentInlet } from "../state/ports.ts";
import { usageDraft } from "../state/responses.ts";
import { sha256 } from "../stores/sha256.ts";
import { type NextInTurn, nextInTurn, type OpenCall } from "../view/turn.ts";
import type { CallDecided, CallDecision, QueuedContent, StoppedCall, TakenIn, TakenItem } from "./session.ts";

// The model reads the following results in place of a tool's results. They are part of the prompt.

/** The result of a call that had not started when the turn ended. */
export const NOT_RUN = "This call was not run: the turn ended before.";

/** The result of a call that must not run twice, if the process that began it is gone. */
export const MAY_HAVE_RUN: string =
  "The outcome of this call is unknown: the program ended while it was open. It may have run, in part or in full. " +
  "Look at what is there before you call it again.";

/** The result of a call at the end of a response that was cut. */
export const CUT_OFF =
  "This call was not run: the answer was cut at its length limit, and the call may not be whole. Make it again, in smaller parts.";

/** The result of a call that waited for permission when the user sent a new message. */
export const SUPERSEDED =
  "This call was not run: it needed permission, and the user said something else instead of giving it.";

/** The result of a call that was open when this session was forked from another. */
export const ELSEWHERE =
  "This call belongs to the conversation that this one was forked from. It runs there, if at all, and its result is not known here.";

/** The result of a call that was denied. */
export function notAllowed(reason: string): string {
  return `This call was not allowed: ${reason}`;
}

/** Tells whether an open call may have taken effect before its turn was stopped. */
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
  const current = next(core);
  const isWaiting =
    current.kind === "calls" && current.calls.some(({ call, step }) => call.id === callId && step === "waiting");
  if (!isWaiting) return "not-waiting";
  const step = kind === "allow" ? "allowed" : "denied";
  await core.state.append([toDraft("call", { step, call: callId, by, reason })]);
  return "recorded";
}

/** Answers the open calls of the turn, so that no process runs them later. */
export async function stop(parts: TurnParts, { by, reason }: SaidBy): Promise<readonly StoppedCall[]> {
  const current = next(parts);
  if (current.kind === "nothing") return [];
  const open = current.kind === "calls" ? current.calls : [];
  const results = open.map((one) => toolResult(one.call.id, resultOfStopped(one), "error"));
  await parts.inlet.append(results, [], [toDraft("turn", { step: "stopped", by, reason })]);
  return open.map((one): StoppedCall => ({ call: one.call, how: endingOf(one) }));
}

function resultOfStopped(call: OpenCall): string {
  if (call.step === "superseded") return SUPERSEDED;
  return endingOf(call) === "unknown" ? MAY_HAVE_RUN : NOT_RUN;
}

/** Appends an item of a numbered queue, unless its number or a higher one was appended before. */
export async function takeIn(parts: TurnParts, item: QueuedContent): Promise<TakenIn> {
  const { queue, number, content, traceparent, used = [] } = item;
  const newest = await taken(parts, queue);
  if (newest !== undefined && newest.number >= number) return "known";
  const list = isList(content) ? content : [content];
  const entries = list.flatMap(toContents).length;
  // The content directly follows this entry.
  const mark = toNamedDraft("taken", sha256(queue), { queue, number, entries, traceparent });
  await parts.inlet.append(list, [...used.map((one) => usageDraft(one, parts.ports.facts)), mark]);
  return "taken";
}

/** Returns the newest item of a queue, on any branch: a rewind does not undo its delivery. */
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
