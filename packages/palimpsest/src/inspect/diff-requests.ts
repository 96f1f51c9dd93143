// Compares two requests segment by segment, and names the causes of their difference.

import type { CacheBreak } from "../cost/ledger.ts";
import type { Cause } from "../log/cause.ts";
import type { RequestAt } from "./request-at.ts";
import { inPromptOrder, isPrompt, type Segment } from "./segment.ts";

/** The difference between two requests. Segments are named by their index in `segments` of each request. */
export interface RequestDiff {
  readonly before: number;
  readonly after: number;
  /** The common beginning of both prompts. The provider can read at most this part from its cache. */
  readonly shared: { readonly segments: number; readonly tokens: number };
  /** The first segment that differs, in each request; absent for a request that ends there. */
  readonly departsAt: { readonly before?: number; readonly after?: number };
  readonly removed: readonly number[];
  readonly added: readonly number[];
  /** Segments of the same entry whose text differs. */
  readonly changed: readonly { readonly before: number; readonly after: number }[];
  /** Whether fields outside the prompt differ. */
  readonly settings: "same" | "changed";
  /** The causes in the log: how the later request differs from the request that it was compared with. */
  readonly causes: readonly DiffCause[];
  /** The cost of the difference, if the later request lost its cache. */
  readonly break?: CacheBreak;
}

/** A cause of the difference, in words and with the entries that caused it. */
export interface DiffCause {
  readonly cause: Cause;
  /** The cause in plain words. */
  readonly words: string;
  /** The names of tools or parameters, or the reasons for decisions. */
  readonly what: readonly string[];
  /** The entry that caused the difference, and the earliest entry that is shown differently since then. */
  readonly at?: number;
  readonly from?: number;
}

/** Compares two requests of one session, segment by segment. Cache marks are ignored. */
export function diffRequests(one: Compared, other: Compared): RequestDiff {
  const [before, after] = [inPromptOrder(one.segments), inPromptOrder(other.segments)];
  let same = 0;
  while (same < before.length && same < after.length && before[same]!.plain === after[same]!.plain) same++;
  const numbers = (segments: readonly Segment[]): Map<Segment, number> =>
    new Map(segments.map((segment, index) => [segment, index]));
  const [numberBefore, numberAfter] = [numbers(one.segments), numbers(other.segments)];
  const [left, right] = [before.slice(same), after.slice(same)];
  const byKey = Map.groupBy(right, keyOf);
  const removed: number[] = [];
  const changed: { before: number; after: number }[] = [];
  const kept = new Set<Segment>();
  for (const segment of left) {
    const candidates = (byKey.get(keyOf(segment)) ?? []).filter((candidate) => !kept.has(candidate));
    const match = candidates.find(({ plain }) => plain === segment.plain) ?? candidates[0];
    if (match === undefined) removed.push(numberBefore.get(segment)!);
    else {
      kept.add(match);
      if (match.plain !== segment.plain)
        changed.push({ before: numberBefore.get(segment)!, after: numberAfter.get(match)! });
    }
  }
  const first = (list: readonly Segment[], of: ReadonlyMap<Segment, number>): number | undefined =>
    list[0] === undefined ? undefined : of.get(list[0]);
  const [goneAt, newAt] = [first(left, numberBefore), first(right, numberAfter)];
  return {
    before: one.entry,
    after: other.entry,
    shared: { segments: same, tokens: after.slice(0, same).reduce((sum, { tokens }) => sum + tokens, 0) },
    departsAt: {
      before: goneAt,
      after: newAt,
    },
    removed,
    added: right.filter((segment) => !kept.has(segment)).map((segment) => numberAfter.get(segment)!),
    changed,
    settings: settingsOf(one.segments) === settingsOf(other.segments) ? "same" : "changed",
    causes: causesOf(other),
    break: other.line?.break,
  };
}

type Compared = Pick<RequestAt, "entry" | "segments" | "facts" | "line">;

function keyOf({ place, entry, name }: Segment): string {
  return [place, entry, name].join(":");
}

function settingsOf(segments: readonly Segment[]): string {
  return segments
    .filter((segment) => !isPrompt(segment))
    .map(({ plain }) => plain)
    .join();
}

/** Returns the causes that were recorded with the request, and causes that only the response shows (such as an expired cache). */
function causesOf({ facts, line }: Pick<RequestAt, "facts" | "line">): readonly DiffCause[] {
  const changes = facts.cache?.changes ?? [];
  const recorded = changes.map(({ cause, at, from, what = [] }) => ({
    cause,
    words: CACHE_CAUSES[cause],
    what,
    at,
    from,
  }));
  const others = (line?.causes ?? []).filter((cause) => !changes.some((change) => change.cause === cause));
  return [...recorded, ...others.map((cause) => ({ cause, words: CACHE_CAUSES[cause], what: [] }))];
}

/** Names the causes of a cache miss in plain words. */
export const CACHE_CAUSES: Readonly<Record<Cause, string>> = {
  pause: "cache expired",
  provider: "another provider",
  model: "another model",
  tools: "other tools",
  system: "another system prompt",
  betas: "other beta features",
  parameters: "other request parameters",
  thinking: "another thinking setting",
  effort: "another effort setting",
  "tool-choice": "another tool choice",
  images: "first image added, or last image removed",
  boundary: "a compaction",
  rewind: "a rewind",
  restore: "an undo",
  replace: "tool results cleared",
  "provider-edits": "edits by the provider",
  "earlier-thinking": "earlier thinking dropped by the provider",
  "cache-ttl": "another cache lifetime",
  server: "no known reason",
};

/** The provider's own explanation of a cache miss. */
export const PROVIDER_SAYS: Readonly<Record<NonNullable<CacheBreak["providerSays"]>, string>> = {
  model: "the model changed",
  tools: "the tools changed",
  system: "the system prompt changed",
  messages: "the messages changed",
  parameters: "the request's parameters changed",
  nowhere: "the prompt is the same",
  unknown: "it could not compare",
};
