import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import type { Experiment, Figures } from "../experiment.ts";
import { type Compacted, type Fact, leadSession } from "./lead-session.ts";
import { type FactSort, type PlantedFact, SORTS } from "./planted-fact.ts";
import { createView } from "./view-search.ts";

/** Looking for all that are not in view takes longer than the session: a quick run looks for some. */
const SIZES = { quick: { seeds: 1, everyNth: 20 }, full: { seeds: 5, everyNth: 1 } } as const;
const AFTER = [1, 3, 10];
/** Two-sided 95% of Student's t, by degrees of freedom. */
const STUDENT = [Number.NaN, 12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26];

/** How many of the facts that matter a session still has after one, three and ten compactions. */
export const survivalExperiment: Experiment = {
  name: "survival",
  about: "planted facts that are in view or can be recalled after 1, 3 and 10 compactions, beside a plain summary",
  async run({ size }) {
    const samples: Sample[] = [];
    const { seeds, everyNth } = SIZES[size];
    for (let seed = 1; seed <= seeds; seed++) {
      await inTemporaryFolder(async (folder) => {
        const session = leadSession(`session ${seed}`, folder);
        for await (const compacted of session) samples.push(...(await measure(compacted, { seed, everyNth })));
      });
    }
    return toFigures(samples);
  },
};

/** One share of facts, of one session after some compactions. */
interface Sample {
  readonly key: string;
  readonly seed: number;
  readonly compactions: number;
  readonly pct: number;
}

async function measure(
  { compactions, facts, view, plainView, session, way }: Compacted,
  { seed, everyNth }: { readonly seed: number; readonly everyNth: number },
): Promise<Sample[]> {
  const isSeen = createView(view);
  const isInSummary = createView(plainView);
  const used = facts.filter(({ uses }) => uses > 0);
  const latest = facts.filter(({ window }) => window === compactions - 1);
  const waiting = facts.filter(({ waiting: more }) => more > 0);
  const share = (key: string, of: readonly Fact[], has: (fact: Fact) => boolean): Sample[] =>
    of.length === 0 ? [] : [{ key, seed, compactions, pct: (100 * of.filter(has).length) / of.length }];
  const always = [
    ...share("ours_waiting_in_view_pct", waiting, isSeen),
    ...share("plain_waiting_in_view_pct", waiting, isInSummary),
    ...share("summarized_pct", facts.slice(0, 1), () => way !== "none"),
  ];
  if (!AFTER.includes(compactions)) return always;
  const unreachable = new Set<PlantedFact>();
  const lookedFor = facts.filter((_, index) => index % everyNth === 0);
  for (const fact of lookedFor) if (!isSeen(fact) && !(await isRecalled(fact, session))) unreachable.add(fact);
  return [
    ...always,
    ...share("ours_in_view_pct", facts, isSeen),
    ...share("ours_reused_in_view_pct", used, isSeen),
    ...share("ours_last_window_in_view_pct", latest, isSeen),
    ...share("ours_reachable_pct", lookedFor, (fact) => !unreachable.has(fact)),
    ...share("plain_in_view_pct", facts, isInSummary),
    ...share("plain_reused_in_view_pct", used, isInSummary),
    ...share("plain_last_window_in_view_pct", latest, isInSummary),
    ...SORTS.flatMap((sort) => {
      const some = used.filter((fact) => fact.sort === sort);
      return share(`by_sort ${sort}`, some, isSeen);
    }),
  ];
}

/** Between a call and its result stands what the response used. */
const RESULT_WITHIN_ENTRIES = 3;

/** Found by words of its surroundings, in an entry or right behind it: a result stands behind its call. */
async function isRecalled(fact: PlantedFact, session: Compacted["session"]): Promise<boolean> {
  const found = await session.recall({ search: fact.cue });
  if (found.kind !== "entries") return false;
  const more = fact.exitCode === undefined ? 0 : RESULT_WITHIN_ENTRIES;
  // The oldest is where it was first seen.
  for (const { sequence } of found.hits.toReversed()) {
    const entries = Array.from({ length: more + 1 }, (_, index) => sequence + index);
    const lines = await Promise.all(entries.map((entry) => linesAbout(fact, entry, session)));
    if (createView(lines.flat().join("\n"))(fact)) return true;
  }
  return false;
}

/** What an entry that was found says of a fact. */
async function linesAbout({ text, exitCode }: PlantedFact, entry: number, session: Compacted["session"]) {
  // Inputs of calls are searched as JSON, in which quotes are escaped.
  const wanted = [text.split('"')[0]!, ...(exitCode === undefined ? [] : ["exit code"])];
  const recalled = await Promise.all(wanted.map((search) => session.recall({ entry, search })));
  return recalled.flatMap((part) => (part.kind === "lines" ? part.found.map((line) => line.text) : []));
}

function toFigures(samples: readonly Sample[]): Figures {
  const of = (key: string): readonly Sample[] => samples.filter((sample) => sample.key === key);
  const after = (key: string) => AFTER.map((count) => of(key).filter(({ compactions }) => compactions === count));
  const byCount = <Value>(key: string, value: (of: readonly Sample[]) => Value) =>
    Object.fromEntries(after(key).map((some, index) => [String(AFTER[index]), value(some)]));
  const keys = [
    "ours_in_view_pct",
    "ours_reused_in_view_pct",
    "ours_last_window_in_view_pct",
    "ours_reachable_pct",
    "plain_in_view_pct",
    "plain_reused_in_view_pct",
    "plain_last_window_in_view_pct",
  ];
  const bySort = (sort: FactSort): [FactSort, number] => [sort, meanOf(of(`by_sort ${sort}`).filter(isLast))];
  return {
    sessions: new Set(samples.map(({ seed }) => seed)).size,
    ...Object.fromEntries(keys.map((key) => [key, byCount(key, meanOf)])),
    ours_reused_in_view_by_sort_pct: Object.fromEntries(SORTS.map(bySort)),
    // Facts whose next use lies ahead: nothing but their first sight speaks for some of them.
    ours_waiting_in_view_pct: meanOf(of("ours_waiting_in_view_pct")),
    plain_waiting_in_view_pct: meanOf(of("plain_waiting_in_view_pct")),
    summarized_pct: meanOf(of("summarized_pct")),
    // Half of the interval that holds the mean of all sessions in 95 of 100 cases.
    ci95: Object.fromEntries(keys.map((key) => [key, byCount(key, halfWidthOf)])),
  };
}

function isLast({ compactions }: Sample): boolean {
  return compactions === AFTER.at(-1);
}

function meanOf(samples: readonly Sample[]): number {
  return tenths(samples.reduce((sum, { pct }) => sum + pct, 0) / samples.length);
}

function halfWidthOf(samples: readonly Sample[]): number | null {
  const count = samples.length;
  if (count < 2) return null;
  const mean = samples.reduce((sum, { pct }) => sum + pct, 0) / count;
  const variance = samples.reduce((sum, { pct }) => sum + (pct - mean) ** 2, 0) / (count - 1);
  return tenths(STUDENT[count - 1]! * Math.sqrt(variance / count));
}

function tenths(value: number): number {
  return Math.round(10 * value) / 10;
}
