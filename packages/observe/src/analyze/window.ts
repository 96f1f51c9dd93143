import {
  addFeatures,
  type Calibration,
  estimateTokens,
  type Features,
  learn,
  NO_FEATURES,
  startCalibration,
} from "palimpsest/inspect";
import type { FileRead } from "./track-reads.ts";

/** An item in the window: a block of a message. */
export interface WindowItem {
  /** The name of its part. */
  readonly part: string;
  readonly features: Features;
  /** The position of its message in the session. */
  readonly place: number;
  readonly callId?: string;
  /** Of a result. */
  readonly result?: ResultOf;
  /** The point that first sent it; undefined until then. */
  point?: number;
  /** An estimate, until a response shows its cost. */
  tokens: number;
  /** The price of one of its tokens when it was first sent, and the cost of carrying one until then. */
  firstUsd?: number;
  carriedUsd?: number;
}

/** What a result is the result of. */
export interface ResultOf {
  readonly tool: string;
  readonly about: string;
  readonly read?: FileRead;
}

export type NewItem = Pick<WindowItem, "part" | "features" | "place" | "callId" | "result">;

/** The window as a response reports it. */
export interface Settled {
  /** Tokens by part; they add up to the provider's count. */
  readonly parts: ReadonlyMap<string, number>;
  /** Items that were sent for the first time. */
  readonly added: ReadonlyMap<string, number>;
  readonly addedItems: readonly WindowItem[];
  readonly fixedTokens: number;
}

/** The part that stands before all messages, and the one for what the agent put in without a record. */
export const FIXED = "fixed";
export const AGENT = "agent";

/** More than this times its estimate is not what an item cost: something came in that is not recorded. */
const MAX_OVER_ESTIMATE = 1.5;
const UNTOLD_TOKENS = 100;
const LEAST_OF_ESTIMATE = 0.5;
/** By then the estimator has learned what there is to learn of this tokenizer. */
const LESSONS = 1_000;

/**
 * The content of the window, updated with every message and corrected with every response: the growth of the provider's count
 * is distributed over the new items, by estimates that learn.
 */
export interface Window {
  add(item: NewItem): void;
  /** Adds an answer of the model: it is part of the next request. */
  answer(item: NewItem, outputTokens: number | undefined): void;
  settle(inputTokens: number, point: number): Settled;
  /** Removes items that do not stay; returns them. */
  drop(stays: (item: WindowItem) => boolean): readonly WindowItem[];
  /** Shows results as stubs from now on; returns the originals. */
  clear(callIds: ReadonlySet<string>): readonly WindowItem[];
  items(): readonly WindowItem[];
}

/** An item that was sent. `shrunkAt`: how much the window had shrunk until then, as `shrunk` counts it. */
interface SentItem extends WindowItem {
  shrunkAt: number;
}

/** So that the logarithm of a window that shrank to nothing is a number. */
const LEAST_SHRINKING = 1e-300;

export function createWindow(): Window {
  let calibration: Calibration = startCalibration();
  /** What was sent, with its sums, and what was not yet: what the model said last, and what others did. */
  let sent: SentItem[] = [];
  /**
   * The product, as a logarithm, of what all items were scaled by. An item is scaled when it leaves: some agents report a smaller window
   * with every other response, and touching each item each time makes the work grow with the square of their number.
   */
  let shrunk = 0;
  let sums = new Map<string, number>();
  let sentTokens = 0;
  let fresh: WindowItem[] = [];
  let answers: WindowItem[] = [];
  let answerTokens: number | undefined;
  let fixedTokens: number | undefined;
  /** `changed`: something was removed since the last response. */
  let prefix: "same" | "changed" = "same";
  let lessons = 0;

  const estimate = (item: WindowItem): number => Math.max(1, estimateTokens(calibration, item.features));
  const untold = (tokens: number, place: number): WindowItem => ({
    part: AGENT,
    features: NO_FEATURES,
    place,
    tokens,
  });

  /** Distributes tokens over items by their estimates; a large excess belongs to something else. */
  function share(items: readonly WindowItem[], tokens: number): WindowItem[] {
    const estimates = items.map(estimate);
    const sum = total(estimates);
    const given = Math.min(tokens, Math.max(sum * MAX_OVER_ESTIMATE, sum + UNTOLD_TOKENS));
    items.forEach((item, index) => {
      item.tokens = sum === 0 ? 0 : (estimates[index]! * given) / sum;
    });
    const rest = tokens - (items.length === 0 ? 0 : given);
    return rest > 0 ? [...items, untold(rest, items.at(-1)?.place ?? 0)] : [...items];
  }

  /** The new items with their cost. */
  function admit(grownTokens: number): WindowItem[] {
    const isKnown = answerTokens !== undefined && answers.length > 0;
    if (!isKnown) return share([...answers, ...fresh], grownTokens);
    const spoken = Math.min(answerTokens ?? 0, grownTokens);
    if (fresh.length > 0 && lessons < LESSONS) {
      lessons++;
      const features = fresh.reduce((sum, item) => addFeatures(sum, item.features), NO_FEATURES);
      calibration = learn(calibration, { features, tokens: grownTokens - spoken });
    }
    return [...share(answers, spoken), ...share(fresh, grownTokens - spoken)];
  }

  /** The first request, or one of which something was taken out: what is known stays, the rest is by estimate. */
  function rebuild(inputTokens: number): WindowItem[] {
    const added = [...answers, ...fresh];
    for (const item of added) item.tokens = estimate(item);
    const knownTokens = sentTokens + total(added.map(({ tokens }) => tokens));
    fixedTokens ??= Math.max(0, inputTokens - knownTokens);
    // Half of the messages cannot have been misjudged: what stands before them was.
    if (inputTokens - fixedTokens < LEAST_OF_ESTIMATE * knownTokens)
      fixedTokens = Math.max(0, inputTokens - knownTokens);
    const room = inputTokens - fixedTokens;
    if (knownTokens > room) {
      const by = room / knownTokens;
      scale(added, by);
      shrunk += Math.log(Math.max(by, LEAST_SHRINKING));
      for (const [part, tokens] of sums) sums.set(part, tokens * by);
      sentTokens *= by;
      return added;
    }
    return knownTokens < room ? [...added, untold(room - knownTokens, added.at(-1)?.place ?? 0)] : added;
  }

  function scaleSent(): void {
    for (const item of sent) {
      item.tokens *= Math.exp(shrunk - item.shrunkAt);
      item.shrunkAt = 0;
    }
    shrunk = 0;
  }

  function recount(): void {
    sums = sumByPart(sent);
    sentTokens = total(sent.map(({ tokens }) => tokens));
  }

  return {
    add: (item) => void fresh.push({ ...item, tokens: 0 }),
    answer(item, outputTokens) {
      answers.push({ ...item, tokens: 0 });
      answerTokens = outputTokens;
    },
    settle(inputTokens, point) {
      const grownTokens = inputTokens - sentTokens - (fixedTokens ?? 0);
      const isFirst = fixedTokens === undefined;
      const isClean = !isFirst && prefix === "same" && grownTokens >= 0;
      const addedItems = isClean ? admit(grownTokens) : rebuild(inputTokens);
      for (const item of addedItems) {
        item.point = point;
        sent.push(Object.assign(item, { shrunkAt: shrunk }));
        sums.set(item.part, (sums.get(item.part) ?? 0) + item.tokens);
        sentTokens += item.tokens;
      }
      fresh = [];
      answers = [];
      answerTokens = undefined;
      prefix = "same";
      const fixed = fixedTokens ?? 0;
      const added = sumByPart(addedItems);
      if (isFirst) added.set(FIXED, fixed);
      return { parts: new Map([[FIXED, fixed], ...sums]), added, addedItems, fixedTokens: fixed };
    },
    drop(stays) {
      scaleSent();
      const dropped = [...sent, ...answers, ...fresh].filter((item) => !stays(item));
      if (dropped.length === 0) return [];
      sent = sent.filter(stays);
      answers = answers.filter(stays);
      fresh = fresh.filter(stays);
      recount();
      prefix = "changed";
      return dropped;
    },
    clear(callIds) {
      scaleSent();
      const isCleared = ({ callId }: WindowItem): boolean => callId !== undefined && callIds.has(callId);
      const cleared = sent.filter(isCleared);
      if (cleared.length === 0) return [];
      sent = sent.filter((item) => !isCleared(item));
      recount();
      prefix = "changed";
      return cleared;
    },
    items() {
      scaleSent();
      return sent;
    },
  };
}

function scale(items: readonly WindowItem[], by: number): void {
  for (const item of items) item.tokens *= by;
}

function sumByPart(items: readonly WindowItem[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { part, tokens } of items) sums.set(part, (sums.get(part) ?? 0) + tokens);
  return sums;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
