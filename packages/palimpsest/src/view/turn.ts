// The state of a turn: how far it has come, its open calls, and its next step.

import type { ToolCall } from "../log/block.ts";
import type { PassedOver, ReadEntry } from "../log/entry.ts";
import type { MessagePayload } from "../log/payload.ts";
import type { AnswerStop, CallPayload, SaidBy, TurnPayload, TurnPhase } from "../log/payload-turn.ts";
import type { Item, MessageItem, View } from "./view.ts";

/** Adds one entry of the branch to the state of the turn. */
export function foldTurn(turn: TurnState, read: ReadEntry | PassedOver): TurnState {
  switch (read.kind) {
    case "message":
      return afterMessage(turn, read.payload);
    case "attachment":
      return read.payload.type === INTERRUPTED ? unanswered(turn) : turn;
    case "request":
      // Placeholders answer the calls without a result.
      return { ...unanswered(turn), calls: [] };
    case "taken":
      // A queue item without content needs no answer.
      return read.payload.entries === 0 ? turn : opened(turn);
    case "agent":
      return read.payload.step === "ended" && read.payload.told === "next-entry" ? opened(turn) : turn;
    case "turn":
      return afterTurnStep(turn, read.payload);
    case "call":
      return { ...turn, calls: afterCallStep(turn.calls, read.payload) };
    case "rewind":
      return { ...turn, calls: marked(turn.calls, read.payload.begun ?? [], "begun") };
    case "fork":
      return { ...turn, calls: turn.calls.map(({ id }) => ({ id, step: "elsewhere" })) };
    default:
      return turn;
  }
}

/**
 * The state of a turn: a fold over the log, in plain JSON of bounded size. Compaction boundaries carry the state, because they hide
 * the messages that it comes from.
 */
export interface TurnState {
  readonly phase: TurnPhase;
  /** How many responses in a row were cut at a limit. */
  readonly cuts: number;
  /** How often hooks have kept the model from stopping in this turn. */
  readonly stopBlocks: number;
  /** Why the newest answer stopped; absent for a normal end. */
  readonly stop?: AnswerStop;
  /** Calls of the newest response whose steps are logged, in order, without calls that have results. */
  readonly calls: readonly CallState[];
}

export const NO_TURN: TurnState = { phase: "idle", cuts: 0, stopBlocks: 0, calls: [] };

/** The state of a call. Its input is not here, because the view contains it while the call is open. */
interface CallState extends SaidBy {
  readonly id: string;
  readonly step: CallStep;
  /** The input after a hook changed it, while the call waits for permission; absent if no hook did. */
  readonly input?: unknown;
}

/**
 * `asked`: the model made the call. `waiting`: the call waits for permission. `allowed`, `denied`: the answer. `superseded`: the user
 * sent a new message instead of an answer. `begun`: the tool was started, and must not run twice. `cut`, `refused`: the call must not
 * run. `elsewhere`: the call belongs to the parent session of this fork.
 */
type CallStep = "asked" | "waiting" | "allowed" | "denied" | "superseded" | "begun" | "cut" | "refused" | "elsewhere";

/** The type of the attachment that tells the model that its answer was interrupted. */
export const INTERRUPTED = "interrupted";

function afterMessage(turn: TurnState, { role, origin, audience, blocks, stop, calls }: MessagePayload): TurnState {
  if (audience === "user") return turn;
  if (role === "assistant") {
    if (origin !== "model") return turn;
    const ids = blocks.flatMap((block) => (block.kind === "tool_call" ? [block.id] : []));
    const phase = stop === "paused" || ids.length > 0 ? "unanswered" : "idle";
    const asked = calls === "in-steps" ? ids.map((id) => ({ id, step: "asked" as const })) : [];
    return { phase, cuts: 0, stopBlocks: turn.stopBlocks, calls: asked };
  }
  const answered = blocks.flatMap((block) => (block.kind === "tool_result" ? [block.callId] : []));
  const afterResults = answered.length === 0 ? turn : afterAnswers(turn, answered);
  const isMessage = (origin === "human" || origin === "host") && answered.length < blocks.length;
  if (!isMessage) return afterResults;
  return origin === "human" ? superseded(opened(afterResults)) : opened(afterResults);
}

function afterTurnStep(turn: TurnState, payload: TurnPayload): TurnState {
  switch (payload.step) {
    case "opened":
      return opened(turn);
    case "answered":
      return { ...turn, phase: payload.phase, stop: payload.stop, cuts: payload.cuts ?? 0 };
    case "continued":
      return { ...unanswered(turn), stopBlocks: turn.stopBlocks + (payload.why === "hook" ? 1 : 0) };
    case "ended":
      return { ...turn, phase: "idle", stop: payload.stop };
    case "stopped":
      return NO_TURN;
    default:
      // A step of a later release.
      return turn;
  }
}

function afterCallStep(calls: readonly CallState[], payload: CallPayload): readonly CallState[] {
  switch (payload.step) {
    case "void":
      return marked(calls, payload.calls, payload.why);
    case "begun":
      return marked(calls, [payload.call], "begun");
    case "waiting":
    case "allowed":
    case "denied": {
      const { call, ...rest } = payload;
      const at = calls.findIndex(
        ({ id, step }) => id === call && step === (payload.step === "waiting" ? "asked" : "waiting"),
      );
      return at < 0 ? calls : calls.with(at, { ...calls[at]!, ...rest });
    }
    default:
      return calls;
  }
}

/**
 * Sets the step of one call for each id. Ids are not always unique: `begun` marks the first call with the id that is not begun, other
 * steps mark the last, because the last call is the one that may be cut.
 */
function marked(calls: readonly CallState[], ids: readonly string[], step: CallStep): readonly CallState[] {
  let after = calls;
  for (const id of ids) {
    const isNext = (call: CallState): boolean => call.id === id && call.step !== step;
    const at = step === "begun" ? after.findIndex(isNext) : after.findLastIndex(isNext);
    if (at >= 0) after = after.with(at, { ...after[at]!, step });
  }
  return after;
}

/** Adds results. The model continues with them, unless it refused: then they only complete the pairs. */
function afterAnswers(turn: TurnState, answered: readonly string[]): TurnState {
  const isDeclined = answered.every((callId) => turn.calls.find(({ id }) => id === callId)?.step === "refused");
  const left = { ...turn, calls: without(turn.calls, answered) };
  return isDeclined ? left : unanswered(left);
}

/** Removes the first call with the id of each result. */
function without(calls: readonly CallState[], answered: readonly string[]): readonly CallState[] {
  const left = [...calls];
  for (const callId of answered) {
    const at = left.findIndex(({ id }) => id === callId);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

function opened(turn: TurnState): TurnState {
  return unanswered(turn.phase === "idle" ? { ...turn, cuts: 0, stopBlocks: 0 } : turn);
}

function unanswered({ stop: _, ...turn }: TurnState): TurnState {
  return { ...turn, phase: "unanswered" };
}

/** Marks waiting calls as superseded, because a new user message replaces the answer about permission. */
function superseded(turn: TurnState): TurnState {
  if (!turn.calls.some(({ step }) => step === "waiting")) return turn;
  const calls = turn.calls.map((call) => (call.step === "waiting" ? { ...call, step: "superseded" as const } : call));
  return { ...turn, calls };
}

/**
 * Returns the next step of a turn.
 * @param session the id of the session, which is a part of the call keys
 */
export function nextInTurn(view: Pick<View, "items">, turn: TurnState, session: string): NextInTurn {
  const open = openCalls(view);
  if (open.length > 0) return { kind: "calls", calls: withSteps(open, turn.calls, session) };
  const { phase, cuts, stopBlocks, stop = "end" } = turn;
  if (phase === "idle") return { kind: "nothing", text: answerText(view.items), stop, stopBlocks };
  return { kind: "request", answer: phase === "cut" ? "cut" : "awaited", cuts };
}

/** The next step of a turn, from the log alone. */
export type NextInTurn =
  /** Calls of the newest response have no result yet, in the order in which the model made them. */
  | { readonly kind: "calls"; readonly calls: readonly OpenCall[] }
  /** The model must answer. */
  | {
      readonly kind: "request";
      /** `cut`: the newest answer was cut at a limit, and the model may be asked to continue. */
      readonly answer: "awaited" | "cut";
      /** How many answers in a row were cut. */
      readonly cuts: number;
    }
  /** The turn is over, or no turn has begun. */
  | {
      readonly kind: "nothing";
      /** The model's newest answer, including earlier parts if it was cut; empty if there is none, or if a compaction hides it. */
      readonly text: string;
      /** Why the model stopped. */
      readonly stop: AnswerStop;
      /** How often hooks have kept the model from stopping in this turn. */
      readonly stopBlocks: number;
    };

/** A call without a result. */
export interface OpenCall extends Omit<CallState, "id" | "step"> {
  readonly call: ToolCall;
  /** The step of the call. `unlogged`: steps of this call are not logged, so it may have run. */
  readonly step: CallStep | "unlogged";
  /** The same key each time this call runs, on any machine, and unique to it. */
  readonly key: string;
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

/**
 * Returns the calls without a result, in order. Looks only at calls after the newest request, because placeholders answered earlier
 * calls in that request. Pairs calls and results by id and position, as flattening does.
 */
export function openCalls({ items }: { readonly items: readonly Item[] }): readonly FoundCall[] {
  const open: FoundCall[] = [];
  for (const item of items.slice(items.findLastIndex(({ kind }) => kind === "seal") + 1)) {
    if (item.kind !== "message") continue;
    const counts = new Map<string, number>();
    for (const block of item.blocks) {
      if (block.kind === "tool_call" && item.role === "assistant") {
        const count = (counts.get(block.id) ?? 0) + 1;
        counts.set(block.id, count);
        open.push({ call: block, entry: item.from, count });
      }
      if (block.kind !== "tool_result" || item.role !== "user") continue;
      const answered = open.findIndex(({ call }) => call.id === block.callId);
      if (answered >= 0) open.splice(answered, 1);
    }
  }
  return open;
}

/** A call without a result. */
interface FoundCall {
  readonly call: ToolCall;
  /** The entry of the response that made it. */
  readonly entry: number;
  /** The position among the calls with the same id in that entry: 1, unless a server uses an id twice. */
  readonly count: number;
}

/**
 * Returns the text of the newest response, together with the cut responses that it continues; empty if the newest request has no
 * answer in view. Reads only this part of the view.
 */
export function answerText(items: readonly Item[]): string {
  let text = "";
  for (let end = items.length; ; ) {
    const { messages, from } = newestResponse(items, end);
    if (messages.length === 0) return text;
    text =
      messages
        .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])))
        .join("") + text;
    let before = from - 1;
    while (before >= 0 && items[before]!.kind === "seal") before--;
    const asked = items[before];
    if (asked?.kind !== "message" || asked.attachment !== CUT_OFF_NOTE) return text;
    end = before;
  }
}

/** Returns the messages of the newest response before a position, and after the request before that position. */
function newestResponse(
  items: readonly Item[],
  end: number,
): { readonly messages: readonly MessageItem[]; readonly from: number } {
  const messages: MessageItem[] = [];
  let from = end;
  for (let at = end - 1; at >= 0; at--) {
    const item = items[at]!;
    if (item.kind === "seal") break;
    if (item.role !== "assistant" || item.origin !== "model") continue;
    if (messages.length > 0 && item.responseId !== messages[0]!.responseId) break;
    messages.unshift(item);
    from = at;
  }
  return { messages, from };
}

/** The type of the attachment that asks the model to continue an answer that was cut. */
export const CUT_OFF_NOTE = "cut-off";
