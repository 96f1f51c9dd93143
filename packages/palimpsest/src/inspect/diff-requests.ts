import type { CacheBreak } from "../cost/ledger.ts";
import type { Cause } from "../log/cause.ts";
import type { RequestAt } from "./request-at.ts";
import { inPromptOrder, isPrompt, type Segment } from "./segment.ts";

/** How a request differs from an earlier one. Segments are named by their place in `segments` of each request. */
export interface RequestDiff {
  readonly before: number;
  readonly after: number;
  /** What both begin with, in the order of the prompt. The provider can read no more than this from its cache. */
  readonly shared: { readonly segments: number; readonly tokens: number };
  /** The first segment that differs, in each request; absent where one of them ends. */
  readonly departsAt: { readonly before?: number; readonly after?: number };
  readonly removed: readonly number[];
  readonly added: readonly number[];
  /** Segments of the same entry with another text. */
  readonly changed: readonly { readonly before: number; readonly after: number }[];
  /** Fields beside the prompt that differ. */
  readonly settings: "same" | "changed";
  /** Why, as the log has it: differences from the request that the later one was compared with. */
  readonly causes: readonly DiffCause[];
  /** What the difference cost, if the later request lost its cache. */
  readonly break?: CacheBreak;
}

/** Why a request differs from the one before it, in words and with the entries that did it. */
export interface DiffCause {
  readonly cause: Cause;
  /** In plain words. */
  readonly words: string;
  /** Tools, parameters, or reasons of decisions. */
  readonly what: readonly string[];
  /** The entry that caused it, and the earliest entry that is shown differently since. */
  readonly at?: number;
  readonly from?: number;
}

/** Compares two requests of one session, whole segments at a time. Cache marks are no difference. */
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
      ...(goneAt === undefined ? {} : { before: goneAt }),
      ...(newAt === undefined ? {} : { after: newAt }),
    },
    removed,
    added: right.filter((segment) => !kept.has(segment)).map((segment) => numberAfter.get(segment)!),
    changed,
    settings: settingsOf(one.segments) === settingsOf(other.segments) ? "same" : "changed",
    causes: causesOf(other),
    ...(other.line?.break === undefined ? {} : { break: other.line.break }),
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

/** The differences that were recorded with the request, and causes that only its response shows (an expired cache). */
function causesOf({ facts, line }: Pick<RequestAt, "facts" | "line">): readonly DiffCause[] {
  const changes = facts.cache?.changes ?? [];
  const recorded = changes.map(({ cause, at, from, what = [] }) => ({
    cause,
    words: CACHE_CAUSES[cause],
    what,
    at,
    ...(from === undefined ? {} : { from }),
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
