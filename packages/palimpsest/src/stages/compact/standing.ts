import type { ConfigurationPayload } from "../../log/payload.ts";
import type { PassedOver, ReadEntry } from "../../log/read-payload.ts";
import { type AgentInFlight, foldAgent } from "./agents-in-flight.ts";
import { type BreakerState, breakerAfter, CLOSED, ECONOMIC_BREAKER, type Seen } from "./breaker.ts";

/**
 * What holds beside the view and must outlive every compaction: a fold over the log like the view itself. Plain JSON of
 * bounded size; boundaries carry it.
 */
export interface Standing {
  readonly pins: readonly Pin[];
  /** The newest version of the notes. */
  readonly notes?: { readonly entry: number; readonly coveredTo: number };
  /** Facts from before the newest boundary. */
  readonly evidence: unknown;
  /** What the user said before the newest boundary, by entry: the first, and the newest. */
  readonly said: readonly number[];
  /** Of summaries that the window needs or the user has asked for. */
  readonly breaker: BreakerState;
  /** Of compactions that only save money. */
  readonly economicBreaker: BreakerState;
  /** Agents that were started, and how they are. */
  readonly agents: readonly AgentInFlight[];
  /** How far each reader of the log has been through it. */
  readonly marks: Readonly<Record<string, number>>;
  /** How many messages the user has sent in all. */
  readonly userMessages: number;
  /** The entry of the newest of them; 0 if there is none. */
  readonly spokenAt: number;
  readonly chain: CompactionChain;
  /** Model calls that were made to compact since the user last said something. */
  readonly calls: number;
  /** `held`: what was folded has been brought back, and stays until the user says something. */
  readonly automatic: "on" | "held";
  /** Ranges whose compaction was taken back, and that no compaction has folded since; the newest last. */
  readonly takenBack: readonly TakenBack[];
  /** The smallest limit that the provider has named in a refusal, or shown by cutting. */
  readonly limitTokens?: number;
  /** The model that the limit is of. */
  readonly model?: string;
  /** Requests in a row that the provider has refused as too long. */
  readonly overflows: number;
}

export interface Pin {
  /** The entry that pins it. */
  readonly entry: number;
  readonly text: string;
  readonly of?: number;
}

export interface TakenBack {
  readonly from: number;
  readonly to: number;
  /** The entry that took the compaction back. */
  readonly at: number;
}

/** How compactions follow each other: quick ones mean that the summaries are too long. */
export interface CompactionChain {
  /** The newest boundary; 0 if there is none. */
  readonly boundary: number;
  readonly boundaries: number;
  /** Messages of the user since. */
  readonly turns: number;
}

export const NOTHING_STANDING: Standing = {
  pins: [],
  evidence: undefined,
  said: [],
  breaker: CLOSED,
  economicBreaker: CLOSED,
  agents: [],
  marks: {},
  userMessages: 0,
  spokenAt: 0,
  chain: { boundary: 0, boundaries: 0, turns: 0 },
  calls: 0,
  automatic: "on",
  takenBack: [],
  overflows: 0,
};

/** Who calls a model to compact: such calls are counted. */
export const COMPACTION_SOURCE = "compact";

/** Takes one more entry of the branch. Decisions that a later `restore` takes back are not handed in. */
export function foldStanding(standing: Standing, read: ReadEntry | PassedOver, atMs: number): Standing {
  switch (read.kind) {
    case "message":
      return read.payload.origin === "human" ? heard(standing, read.sequence) : standing;
    case "usage": {
      const isOwn = read.payload.source === COMPACTION_SOURCE;
      return { ...standing, calls: standing.calls + (isOwn ? 1 : 0), overflows: isOwn ? standing.overflows : 0 };
    }
    case "configuration":
      return configured(standing, read.payload);
    case "pin":
      return { ...standing, pins: [...standing.pins, { entry: read.sequence, ...read.payload }] };
    case "unpin":
      return { ...standing, pins: standing.pins.filter(({ entry }) => entry !== read.payload.of) };
    case "agent":
      return { ...standing, agents: foldAgent(standing.agents, read.payload, read.sequence) };
    case "mark": {
      const { name, coveredTo } = read.payload;
      return { ...standing, marks: { ...standing.marks, [name]: coveredTo } };
    }
    case "notes":
      return { ...standing, notes: { entry: read.sequence, coveredTo: read.payload.coveredTo } };
    case "attempt":
      return failed(standing, read, atMs);
    case "overflow":
      return refused(standing, read.payload.limitTokens);
    case "boundary":
      return atBoundary(readStanding(read.payload.state.standing), read);
    case "restore":
      return read.payload.was === "boundary" ? takenBack(standing, read) : standing;
    default:
      return standing;
  }
}

/** Another model has another limit. */
function configured(standing: Standing, { provider, model: name }: ConfigurationPayload): Standing {
  const model = `${provider}/${name}`;
  if (standing.model === model) return standing;
  const { limitTokens, model: before, ...rest } = standing;
  // A limit of an earlier release does not say whose it is.
  const kept = before === undefined && limitTokens !== undefined ? { limitTokens } : {};
  return { ...rest, ...kept, model };
}

function heard(standing: Standing, spokenAt: number): Standing {
  const { chain } = standing;
  const userMessages = standing.userMessages + 1;
  return {
    ...standing,
    userMessages,
    spokenAt,
    calls: 0,
    automatic: "on",
    chain: { ...chain, turns: chain.turns + 1 },
  };
}

function failed(standing: Standing, read: Extract<ReadEntry, { kind: "attempt" }>, atMs: number): Standing {
  const event = { kind: "failed", seen: seenAt(standing, read, atMs) } as const;
  if (read.payload.reason !== "economic") return { ...standing, breaker: breakerAfter(standing.breaker, event) };
  return { ...standing, economicBreaker: breakerAfter(standing.economicBreaker, event, ECONOMIC_BREAKER) };
}

/** How many ranges are remembered: each is of a compaction that somebody took back by hand. */
const MOST_TAKEN_BACK = 16;

function takenBack(standing: Standing, { sequence, payload }: Extract<ReadEntry, { kind: "restore" }>): Standing {
  const { from, to } = payload;
  const ranges = [...standing.takenBack, { from, to, at: sequence }].slice(-MOST_TAKEN_BACK);
  return { ...standing, automatic: "held", takenBack: ranges };
}

function seenAt({ userMessages }: Standing, { sequence }: { readonly sequence: number }, nowMs: number): Seen {
  return { nowMs, userMessages, viewChangedAt: sequence };
}

function refused(standing: Standing, limitTokens = Number.POSITIVE_INFINITY): Standing {
  const smallest = Math.min(limitTokens, standing.limitTokens ?? Number.POSITIVE_INFINITY);
  const limit = Number.isFinite(smallest) && smallest > 0 ? { limitTokens: smallest } : {};
  return { ...standing, ...limit, overflows: standing.overflows + 1 };
}

/** A summary that a model wrote is worth its calls: the next may have as many. */
function atBoundary(carried: Standing, { sequence, payload }: Extract<ReadEntry, { kind: "boundary" }>): Standing {
  const { chain } = carried;
  const boundary = sequence;
  const calls = payload.compaction?.rung === "digest" ? carried.calls : 0;
  const isFolded = ({ from, to }: TakenBack): boolean => payload.from <= from && to <= payload.to;
  const left = carried.takenBack.filter((range) => !isFolded(range));
  return { ...carried, calls, takenBack: left, chain: { boundary, boundaries: chain.boundaries + 1, turns: 0 } };
}

/** What a boundary carries, or nothing if it is of a form that cannot be read. */
function readStanding(stored: unknown): Standing {
  if (typeof stored !== "object" || stored === null) return NOTHING_STANDING;
  const { pins, said, chain } = stored as Partial<Standing>;
  const isWhole = Array.isArray(pins) && Array.isArray(said) && typeof chain === "object";
  return isWhole ? { ...NOTHING_STANDING, ...(stored as Standing) } : NOTHING_STANDING;
}
