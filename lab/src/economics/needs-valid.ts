// Tests the measure itself: does a need that a recorded compaction took out of view predict that the agent read the file again, or that
// an edit of the file failed?

import {
  attemptsOf,
  contentsOf,
  filesRead,
  type Need,
  plainLine,
  type RecordedView,
  type Recording,
  type SeenTouch,
} from "@palimpsest/observe/replay";
import { draws, intervalOf } from "./bootstrap.ts";

/** So many calls after a compaction count as "after it". */
const CALLS_AFTER = 20;
/** Claude Code shows files again after a compaction. The transcript does not have them, so its published rule stands in. */
const FILES_SHOWN = 5;
const FILE_TOKENS = 5_000;

/** The needs after one recorded compaction. `again`: the file was read again, or an edit of it failed. */
export interface NeedTally {
  readonly outOfView: { readonly again: number; readonly not: number };
  readonly inView: { readonly again: number; readonly not: number };
}

/** A tally for each recorded compaction of a session. */
export function tallyNeeds(recording: Recording, needs: readonly (readonly Need[])[]): readonly NeedTally[] {
  const attempts = attemptsOf(recording.items);
  const fileOf = filesOfItems(recording, attempts);
  return recording.rounds.flatMap(({ compaction }, index) =>
    compaction === undefined ? [] : [tallyAfter({ recording, needs, attempts, fileOf, index, compaction })],
  );
}

interface Compacted {
  readonly recording: Recording;
  readonly needs: readonly (readonly Need[])[];
  readonly attempts: readonly SeenTouch[];
  readonly fileOf: ReadonlyMap<number, string>;
  /** The first round after the compaction. */
  readonly index: number;
  readonly compaction: RecordedView;
}

function tallyAfter({ recording, needs, attempts, fileOf, index, compaction }: Compacted): NeedTally {
  const tally = { outOfView: { again: 0, not: 0 }, inView: { again: 0, not: 0 } };
  const { before, kept, summary } = compaction;
  const rounds = roundsAfter(recording, index);
  const endItem = recording.rounds[index + rounds]?.response.index ?? recording.items.length;
  const shown = plain([summary, ...filesShown(recording, attempts, before)].join("\n"));
  const isKept = new Set(kept);
  const again = new Set(
    attempts
      .filter(({ message }) => message >= before && message < endItem)
      .filter(({ access, status }) => (access === "read") === (status === "ok"))
      .map(({ path }) => path),
  );
  const seen = new Set<string>();
  for (const [offset, ofRound] of needs.slice(index, index + rounds).entries()) {
    const { blocks } = recording.rounds[index + offset]!.response;
    const reads = new Set(blocks.flatMap((block) => (block.kind === "tool_call" ? filesRead(block) : [])));
    for (const need of ofRound) {
      const shownBefore = need.shownBy.filter((item) => item < before);
      const path = shownBefore.map((item) => fileOf.get(item)).findLast((file) => file !== undefined);
      const key = `${path} ${need.of.kind === "line" ? need.of.line : need.of.fact}`;
      // A response that reads the file needs its name only to read it.
      if (path === undefined || reads.has(path) || seen.has(key)) continue;
      seen.add(key);
      const isInView = shownBefore.some((item) => isKept.has(item)) || isQuoted(need, shown);
      tally[isInView ? "inView" : "outOfView"][again.has(path) ? "again" : "not"]++;
    }
  }
  return tally;
}

/** The rounds from this one on that make the next calls. */
function roundsAfter({ rounds }: Recording, from: number): number {
  let [calls, count] = [0, 0];
  for (const { response } of rounds.slice(from)) {
    if (calls >= CALLS_AFTER) break;
    count++;
    calls += response.blocks.filter(({ kind }) => kind === "tool_call").length;
  }
  return count;
}

/** The file that an item shows: a result of a read, or a response with an edit. */
function filesOfItems({ items }: Recording, attempts: readonly SeenTouch[]): ReadonlyMap<number, string> {
  const files = new Map<number, string>();
  for (const { message, path, status } of attempts) {
    if (status !== "ok") continue;
    files.set(message, path);
    const [result] = items[message]!.blocks;
    const callId = result?.kind === "tool_result" ? result.callId : undefined;
    const call = items.findLastIndex(
      ({ index, blocks }) =>
        index < message && blocks.some((block) => block.kind === "tool_call" && block.id === callId),
    );
    if (call >= 0) files.set(call, path);
  }
  return files;
}

function filesShown(
  { agent, items, sizes }: Recording,
  attempts: readonly SeenTouch[],
  before: number,
): readonly string[] {
  if (agent !== "claude-code") return [];
  const contents = contentsOf(items.slice(0, before));
  const read = attempts.filter(
    ({ message, access, status }) => message < before && access === "read" && status === "ok",
  );
  const newest = new Set(read.toReversed().map(({ path }) => path));
  return [...newest]
    .slice(0, FILES_SHOWN)
    .map((path) => `${path}\n${(contents.get(path) ?? "").slice(0, Math.floor(FILE_TOKENS * sizes.bytesPerToken))}`);
}

function isQuoted(need: Need, shown: string): boolean {
  return need.linesShown().some((line) => shown.includes(plainLine(line)));
}

function plain(text: string): string {
  return text.split("\n").map(plainLine).join("\n");
}

/** How much more often a need that was out of view led to another read or a failed edit. */
export interface NeedsValid {
  readonly sessions: number;
  readonly compactions: number;
  readonly needs: number;
  readonly out_of_view: number;
  readonly again_pct_out_of_view: number;
  readonly again_pct_in_view: number;
  /** Within compactions (Mantel and Haenszel), with its 95% interval by session. */
  readonly odds_ratio: number;
  readonly interval: readonly [low: number, high: number];
  /** The same without the session that weighs most. */
  readonly without_one_session: {
    readonly odds_ratio: number;
    readonly interval: readonly [low: number, high: number];
  };
  /** The same with all compactions in one table, although sessions differ in how often they read at all. */
  readonly pooled: { readonly odds_ratio: number; readonly interval: readonly [low: number, high: number] };
}

/** @param sessions the tallies of each session */
export function needsValid(sessions: readonly (readonly NeedTally[])[]): NeedsValid {
  const own = sessions.filter((tallies) => tallies.length > 0);
  const heaviest = own.reduce((most, one, index) => (weightOf(one) > weightOf(own[most]!) ? index : most), 0);
  const all = sumOf(own.flat());
  const { outOfView, inView } = all;
  const percent = (part: number, other: number): number => rounded((100 * part) / Math.max(1, part + other), 1);
  return {
    sessions: own.length,
    compactions: own.flat().length,
    needs: outOfView.again + outOfView.not + inView.again + inView.not,
    out_of_view: outOfView.again + outOfView.not,
    again_pct_out_of_view: percent(outOfView.again, outOfView.not),
    again_pct_in_view: percent(inView.again, inView.not),
    ...oddsRatio(own, withinCompactions),
    without_one_session: oddsRatio(
      own.filter((_, index) => index !== heaviest),
      withinCompactions,
    ),
    pooled: oddsRatio(own, inOneTable),
  };
}

function oddsRatio(
  sessions: readonly (readonly NeedTally[])[],
  ratioOf: (tallies: readonly NeedTally[]) => number,
): { readonly odds_ratio: number; readonly interval: readonly [low: number, high: number] } {
  const statistic = (sample: readonly number[]): number => ratioOf(sample.flatMap((index) => sessions[index]!));
  const [ratio, low, high] = intervalOf(sessions.length, draws(sessions.length, "needs-valid"), statistic);
  return { odds_ratio: rounded(ratio, 2), interval: [rounded(low, 2), rounded(high, 2)] };
}

/** Each compaction is compared with itself only. */
function withinCompactions(tallies: readonly NeedTally[]): number {
  let [more, less] = [0, 0];
  for (const { outOfView, inView } of tallies) {
    const needs = outOfView.again + outOfView.not + inView.again + inView.not;
    if (needs === 0) continue;
    more += (outOfView.again * inView.not) / needs;
    less += (outOfView.not * inView.again) / needs;
  }
  return more === 0 ? 0 : more / less;
}

function inOneTable(tallies: readonly NeedTally[]): number {
  const { outOfView, inView } = sumOf(tallies);
  return (outOfView.again * inView.not) / (outOfView.not * inView.again);
}

/** What a session adds to the ratio within compactions. */
function weightOf(tallies: readonly NeedTally[]): number {
  const { outOfView, inView } = sumOf(tallies);
  const needs = outOfView.again + outOfView.not + inView.again + inView.not;
  return needs === 0 ? 0 : (outOfView.again * inView.not) / needs;
}

function sumOf(tallies: readonly NeedTally[]): NeedTally {
  const sum = (of: (tally: NeedTally) => number): number => tallies.reduce((total, tally) => total + of(tally), 0);
  return {
    outOfView: { again: sum((one) => one.outOfView.again), not: sum((one) => one.outOfView.not) },
    inView: { again: sum((one) => one.inView.again), not: sum((one) => one.inView.not) },
  };
}

function rounded(value: number, places: number): number {
  return Number(value.toFixed(places));
}
