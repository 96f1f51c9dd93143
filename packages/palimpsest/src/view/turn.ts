import type { ToolCall } from "../log/block.ts";
import type { PassedOver, ReadEntry } from "../log/draft.ts";
import type { MessagePayload } from "../log/payload.ts";
import type { AnswerStop, CallPayload, SaidBy, TurnPayload, TurnPhase } from "../log/payload-turn.ts";
import type { Item, MessageItem, View } from "./view.ts";

/**
 * How far a turn has come: a fold over the log, in plain JSON of bounded size. Compaction boundaries carry it, because they hide
 * the messages that it was read from.
 */
export interface TurnState {
  readonly phase: TurnPhase;
  /** How many responses in a row were cut at a limit. */
  readonly cuts: number;
  /** How often hooks have kept the model from stopping in this turn. */
  readonly stopBlocks: number;
  /** How the newest answer ended, if not simply. */
  readonly stop?: AnswerStop;
  /** Calls of the newest response that are run in steps, in order, without those that have results. */
  readonly calls: readonly CallState[];
}

/** How far a call has come. Not its input: that is in the view for as long as the call is open. */
interface CallState extends SaidBy {
  readonly id: string;
  readonly step: CallStep;
  /** What a hook made of the input while the call waits for permission, if one changed it. */
  readonly input?: unknown;
}

/**
 * `asked`: the model made the call. `waiting`: somebody was asked for permission. `allowed`, `denied`: they answered.
 * `superseded`: the user said something new instead. `begun`: the tool was started, and must not run twice. `cut`, `refused`: not
 * to be run. `elsewhere`: it belongs to the session that this one is a fork of.
 */
type CallStep = "asked" | "waiting" | "allowed" | "denied" | "superseded" | "begun" | "cut" | "refused" | "elsewhere";

export const NO_TURN: TurnState = { phase: "idle", cuts: 0, stopBlocks: 0, calls: [] };

/** The type of the attachment that says that an answer was interrupted. */
export const INTERRUPTED = "interrupted";

/** Adds one entry of the branch. */
export function foldTurn(turn: TurnState, read: ReadEntry | PassedOver): TurnState {
  switch (read.kind) {
    case "message":
      return afterMessage(turn, read.payload);
    case "attachment":
      return read.payload.type === INTERRUPTED ? unanswered(turn) : turn;
    case "request":
      // Calls without a result were answered by a placeholder.
      return { ...unanswered(turn), calls: [] };
    case "taken":
      // An item without content asks for no answer.
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
  const isSaid = (origin === "human" || origin === "host") && answered.length < blocks.length;
  if (!isSaid) return afterResults;
  return origin === "human" ? superseded(opened(afterResults)) : opened(afterResults);
}

function afterTurnStep(turn: TurnState, said: TurnPayload): TurnState {
  switch (said.step) {
    case "opened":
      return opened(turn);
    case "answered":
      return { ...turn, phase: said.phase, stop: said.stop, cuts: said.cuts ?? 0 };
    case "continued":
      return { ...unanswered(turn), stopBlocks: turn.stopBlocks + (said.why === "hook" ? 1 : 0) };
    case "ended":
      return { ...turn, phase: "idle", stop: said.stop };
    case "stopped":
      return NO_TURN;
    default:
      // A step of a later release.
      return turn;
  }
}

function afterCallStep(calls: readonly CallState[], said: CallPayload): readonly CallState[] {
  switch (said.step) {
    case "void":
      return marked(calls, said.calls, said.why);
    case "begun":
      return marked(calls, [said.call], "begun");
    case "waiting":
    case "allowed":
    case "denied": {
      const { call, ...rest } = said;
      const at = calls.findIndex(
        ({ id, step }) => id === call && step === (said.step === "waiting" ? "asked" : "waiting"),
      );
      return at < 0 ? calls : calls.with(at, { ...calls[at]!, ...rest });
    }
    default:
      return calls;
  }
}

/** Marks the last call of each id that has not come so far: ids are not always unique, and the last one may be cut. */
function marked(calls: readonly CallState[], ids: readonly string[], step: CallStep): readonly CallState[] {
  let after = calls;
  for (const id of ids) {
    const isNext = (call: CallState): boolean => call.id === id && call.step !== step;
    const at = step === "begun" ? after.findIndex(isNext) : after.findLastIndex(isNext);
    if (at >= 0) after = after.with(at, { ...after[at]!, step });
  }
  return after;
}

/** The model goes on with results, unless it has declined to: then they only complete the pairs. */
function afterAnswers(turn: TurnState, answered: readonly string[]): TurnState {
  const isDeclined = answered.every((callId) => turn.calls.find(({ id }) => id === callId)?.step === "refused");
  const left = { ...turn, calls: without(turn.calls, answered) };
  return isDeclined ? left : unanswered(left);
}

/** Each result takes away the first call of its id. */
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

/** Somebody who says something new instead of answering a question has answered it. */
function superseded(turn: TurnState): TurnState {
  if (!turn.calls.some(({ step }) => step === "waiting")) return turn;
  const calls = turn.calls.map((call) => (call.step === "waiting" ? { ...call, step: "superseded" as const } : call));
  return { ...turn, calls };
}

/** The type of the attachment that asks the model to continue an answer that was cut. */
export const CUT_OFF_NOTE = "cut-off";

/**
 * Returns the text of the newest response, together with the responses that it continues because they were cut. Empty if the
 * newest request has no answer in view. Reads no more of the view than that.
 */
export function answerText(items: readonly Item[]): string {
  let text = "";
  for (let end = items.length; ; ) {
    const { said, from } = newestResponse(items, end);
    if (said.length === 0) return text;
    text =
      said.flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []))).join("") +
      text;
    let before = from - 1;
    while (before >= 0 && items[before]!.kind === "seal") before--;
    const asked = items[before];
    if (asked?.kind !== "message" || asked.attachment !== CUT_OFF_NOTE) return text;
    end = before;
  }
}

/** The messages of the newest response before a position, not looking behind the request before it. */
function newestResponse(
  items: readonly Item[],
  end: number,
): { readonly said: readonly MessageItem[]; readonly from: number } {
  const said: MessageItem[] = [];
  let from = end;
  for (let at = end - 1; at >= 0; at--) {
    const item = items[at]!;
    if (item.kind === "seal") break;
    if (item.role !== "assistant" || item.origin !== "model") continue;
    if (said.length > 0 && item.responseId !== said[0]!.responseId) break;
    said.unshift(item);
    from = at;
  }
  return { said, from };
}

/** A call without a result. */
interface FoundCall {
  readonly call: ToolCall;
  /** The entry of the response that made it. */
  readonly entry: number;
  /** The how-manieth call with its id in that entry: 1, unless a server uses an id twice. */
  readonly count: number;
}

/**
 * Returns the calls without a result, in order. Only calls after the newest request: earlier ones were answered by a
 * placeholder in that request. Pairs by id and position, as flattening does.
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
