import type { PassedOver, ReadEntry } from "../log/draft.ts";
import type { ConfigurationPayload } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import { type BreakerState, breakerAfter, CLOSED, ECONOMIC_BREAKER, type Seen } from "../stages/compact/breaker.ts";
import { type AgentInFlight, foldAgent } from "../stages/compact/running-agents.ts";
import { foldTurn, NO_TURN, type TurnState } from "../view/turn.ts";

/**
 * State beside the view that must survive every compaction: a fold over the log, like the view itself. It is plain JSON of
 * bounded size; boundaries carry it.
 */
export interface CarriedState {
  readonly pins: readonly Pin[];
  /** The newest version of the notes. */
  readonly notes?: { readonly entry: number; readonly coveredTo: number };
  /** Facts from before the newest boundary. */
  readonly evidence: unknown;
  /** The user's messages before the newest boundary, by entry: the first, and the newest. */
  readonly said: readonly number[];
  /** The breaker of summaries that the window needs or the user has requested. */
  readonly breaker: BreakerState;
  /** The breaker of compactions that only save money. */
  readonly economicBreaker: BreakerState;
  /** The started agents and their states. */
  readonly agents: readonly AgentInFlight[];
  /** How far each reader has read the log. */
  readonly marks: Readonly<Record<string, number>>;
  /** How far the newest turn has come. */
  readonly turn: TurnState;
  /** How many messages the user has sent in all. */
  readonly userMessages: number;
  /** The entry of the newest message; 0 if there is none. */
  readonly spokenAt: number;
  readonly chain: CompactionChain;
  /** Model calls for compaction since the user's last message. */
  readonly calls: number;
  /** `held`: compacted content was restored, and stays until the user's next message. */
  readonly automatic: "on" | "held";
  /** Ranges whose compaction was undone, and that no compaction has covered since; the newest last. */
  readonly takenBack: readonly TakenBack[];
  /** The smallest limit that the provider has named in a refusal, or shown by truncating. */
  readonly limitTokens?: number;
  /** The model that has this limit. */
  readonly model?: string;
  /** The number of requests in a row that the provider refused as too long. */
  readonly overflows: number;
}

export interface Pin {
  /** The entry that pins it. */
  readonly entry: number;
  readonly text: string;
  readonly of?: number;
  /** Where the text comes from. @default the host, for a text of its own */
  readonly provenance?: Provenance;
}

export interface TakenBack {
  readonly from: number;
  readonly to: number;
  /** The entry that undid the compaction. */
  readonly at: number;
}

/** The frequency of compactions: frequent ones mean that the summaries are too long. */
export interface CompactionChain {
  /** The newest boundary; 0 if there is none. */
  readonly boundary: number;
  readonly boundaries: number;
  /** The user's messages since then. */
  readonly turns: number;
}

export const EMPTY_CARRIED_STATE: CarriedState = {
  pins: [],
  evidence: undefined,
  said: [],
  breaker: CLOSED,
  economicBreaker: CLOSED,
  agents: [],
  marks: {},
  turn: NO_TURN,
  userMessages: 0,
  spokenAt: 0,
  chain: { boundary: 0, boundaries: 0, turns: 0 },
  calls: 0,
  automatic: "on",
  takenBack: [],
  overflows: 0,
};

/** Sources of model calls for compaction: these calls are counted. */
export const COMPACTION_SOURCE = "compact";

/** Adds one entry of the branch. The caller leaves out decisions that a later `restore` takes back. */
export function foldCarriedState(before: CarriedState, read: ReadEntry | PassedOver, atMs: number): CarriedState {
  const turn = foldTurn(before.turn, read);
  const carriedState = turn === before.turn ? before : { ...before, turn };
  switch (read.kind) {
    case "message":
      return read.payload.origin === "human" ? heard(carriedState, read.sequence) : carriedState;
    case "usage": {
      const isOwn = read.payload.source === COMPACTION_SOURCE;
      return {
        ...carriedState,
        calls: carriedState.calls + (isOwn ? 1 : 0),
        overflows: isOwn ? carriedState.overflows : 0,
      };
    }
    case "configuration":
      return configured(carriedState, read.payload);
    case "pin":
      return { ...carriedState, pins: [...carriedState.pins, { entry: read.sequence, ...read.payload }] };
    case "unpin":
      return { ...carriedState, pins: carriedState.pins.filter(({ entry }) => entry !== read.payload.of) };
    case "agent":
      return { ...carriedState, agents: foldAgent(carriedState.agents, read.payload, read.sequence) };
    case "mark": {
      const { name, coveredTo } = read.payload;
      return { ...carriedState, marks: { ...carriedState.marks, [name]: coveredTo } };
    }
    case "notes":
      return { ...carriedState, notes: { entry: read.sequence, coveredTo: read.payload.coveredTo } };
    case "attempt":
      return failed(carriedState, read, atMs);
    case "overflow":
      return refused(carriedState, read.payload.limitTokens);
    case "boundary":
      return atBoundary(read.payload.state.standing as CarriedState, read);
    case "restore":
      return read.payload.was === "boundary" ? takenBack(carriedState, read) : carriedState;
    default:
      return carriedState;
  }
}

/** Another model has another limit. */
function configured(carriedState: CarriedState, { provider, model: name }: ConfigurationPayload): CarriedState {
  const model = `${provider}/${name}`;
  if (carriedState.model === model) return carriedState;
  const { limitTokens: _, ...rest } = carriedState;
  return { ...rest, model };
}

function heard(carriedState: CarriedState, spokenAt: number): CarriedState {
  const { chain } = carriedState;
  const userMessages = carriedState.userMessages + 1;
  return {
    ...carriedState,
    userMessages,
    spokenAt,
    calls: 0,
    automatic: "on",
    chain: { ...chain, turns: chain.turns + 1 },
  };
}

function failed(carriedState: CarriedState, read: Extract<ReadEntry, { kind: "attempt" }>, atMs: number): CarriedState {
  const event = { kind: "failed", seen: seenAt(carriedState, read, atMs) } as const;
  const { reason, calls = carriedState.calls } = read.payload;
  if (reason !== "economic") return { ...carriedState, calls, breaker: breakerAfter(carriedState.breaker, event) };
  return {
    ...carriedState,
    calls,
    economicBreaker: breakerAfter(carriedState.economicBreaker, event, ECONOMIC_BREAKER),
  };
}

/** The number of remembered ranges: each belongs to a compaction that was undone by hand. */
const MAX_TAKEN_BACK = 16;

function takenBack(
  carriedState: CarriedState,
  { sequence, payload }: Extract<ReadEntry, { kind: "restore" }>,
): CarriedState {
  const { from, to } = payload;
  const ranges = [...carriedState.takenBack, { from, to, at: sequence }].slice(-MAX_TAKEN_BACK);
  return { ...carriedState, automatic: "held", takenBack: ranges };
}

function seenAt({ userMessages }: CarriedState, { sequence }: { readonly sequence: number }, nowMs: number): Seen {
  return { nowMs, userMessages, viewChangedAt: sequence };
}

function refused(carriedState: CarriedState, limitTokens = Number.POSITIVE_INFINITY): CarriedState {
  const smallest = Math.min(limitTokens, carriedState.limitTokens ?? Number.POSITIVE_INFINITY);
  const limit = Number.isFinite(smallest) && smallest > 0 ? { limitTokens: smallest } : {};
  return { ...carriedState, ...limit, overflows: carriedState.overflows + 1 };
}

/** A summary by a model was worth its calls: the next may use as many. */
function atBoundary(
  carried: CarriedState,
  { sequence, payload }: Extract<ReadEntry, { kind: "boundary" }>,
): CarriedState {
  const { chain } = carried;
  const boundary = sequence;
  const calls = payload.compaction?.rung === "digest" ? carried.calls : 0;
  const isFolded = ({ from, to }: TakenBack): boolean => payload.from <= from && to <= payload.to;
  const left = carried.takenBack.filter((range) => !isFolded(range));
  return { ...carried, calls, takenBack: left, chain: { boundary, boundaries: chain.boundaries + 1, turns: 0 } };
}
