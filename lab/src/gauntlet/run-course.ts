import { createView } from "../survival/view-search.ts";
import type { Contestant } from "./contestant.ts";
import type { CourseFact } from "./course-fact.ts";
import { CHARACTERS_PER_TOKEN, STUCK_TURNS, sampleFacts } from "./course-rules.ts";
import { type CostFigures, measureCost } from "./measure-cost.ts";
import { type LatencyFigures, measureLatency } from "./measure-latency.ts";
import { refusalOf } from "./measure-validity.ts";
import { planCourse } from "./plan-course.ts";
import { wordsInView } from "./request-words.ts";
import { onStage, type Played, type Stage } from "./stage.ts";

export interface CourseOptions {
  readonly seed: string;
  readonly windowTokens: number;
  /** Facts are looked for after so much material, in windows. Each window forces at least one compaction. */
  readonly afterWindows: readonly number[];
}

/** Of the facts that were shown so far, at one moment. */
export interface FactShares {
  readonly in_view_pct: number;
  /** The same, of facts of kinds that our evidence does not collect. */
  readonly uncollected_in_view_pct: number;
  /** Of facts that are not in view and were searched for with the contestant's own tools. */
  readonly recallable_pct: number;
  /** Neither in view nor to be found. */
  readonly lost_pct: number;
}

export interface CourseFigures {
  readonly F: {
    readonly after_windows: Readonly<Record<string, FactShares>>;
    readonly facts: number;
    /** Summaries that the model was asked for, and requests that were at least a fifth smaller than the one before. */
    readonly summaries: number;
    readonly reductions: number;
    readonly turns: number;
    readonly turns_not_done: number;
    readonly refused: number;
    /** Where the contestant could not go on: windows of material. */
    readonly stuck_after_windows?: number;
  };
  readonly C: CostFigures;
  readonly L: LatencyFigures;
}

const LOST: FactShares = { in_view_pct: 0, uncollected_in_view_pct: 0, recallable_pct: 0, lost_pct: 100 };

/** F, C and L: one long conversation over many windows. */
export function runCourse(
  contestant: Contestant,
  { seed, windowTokens, afterWindows }: CourseOptions,
): Promise<CourseFigures> {
  return onStage(contestant, { seed, windowTokens }, async (stage) => {
    const course = planCourse(seed);
    const shown: CourseFact[] = [];
    const searched = new Set<CourseFact>();
    const shares: Record<string, FactShares> = {};
    const played: Played[] = [];
    let [characters, stuck, sizes] = [0, 0, [] as number[]];
    for (const windows of afterWindows) {
      while (characters < windows * windowTokens * CHARACTERS_PER_TOKEN && stuck < STUCK_TURNS) {
        const turn = course.next().value;
        const one = await stage.play(turn);
        played.push(one);
        sizes.push(...stage.model.mainAsks().map(({ inputTokens }) => inputTokens));
        shown.push(...turn.facts);
        characters += turn.characters;
        stuck = one.isDone ? 0 : stuck + 1;
      }
      shares[windows] = stuck < STUCK_TURNS ? await lookForFacts(stage, shown, searched) : LOST;
    }
    const windowsDone = characters / CHARACTERS_PER_TOKEN / windowTokens;
    return {
      F: {
        after_windows: shares,
        facts: shown.length,
        summaries: stage.model.summaries(),
        reductions: sizes.filter((size, at) => size < 0.8 * (sizes[at - 1] ?? 0)).length,
        turns: played.length,
        turns_not_done: played.filter(({ isDone }) => !isDone).length,
        refused: stage.exchanges.flatMap(refusalOf).length,
        ...(stuck < STUCK_TURNS ? {} : { stuck_after_windows: tenths(windowsDone) }),
      },
      // Without what looking for facts costs.
      C: measureCost(
        played.flatMap(({ exchanges }) => exchanges),
        contestant.api,
        played.filter(({ isDone }) => isDone).length,
      ),
      L: measureLatency(played, stage.peakMb()),
    };
  });
}

/** Reads the next request for facts, and then lets the model search for some that are not in it. */
async function lookForFacts(
  stage: Stage,
  shown: readonly CourseFact[],
  searched: Set<CourseFact>,
): Promise<FactShares> {
  await stage.say("Is everything clear so far?", { answer: "It is." });
  const first = stage.model.mainAsks()[0];
  if (first === undefined) return LOST;
  const isSeen = createView(wordsInView(first.request, stage.model.newestSummary()));
  const facts = shown.filter((one) => !searched.has(one));
  const missing = facts.filter(({ fact }) => !isSeen(fact));
  const sample = sampleFacts(missing);
  let found = 0;
  for (const one of sample) {
    // It is seen again by that, and not counted later.
    searched.add(one);
    await stage.say("Look for what was said about one more thing.", { searches: [one.fact.cue], answer: "I see." });
    if (createView(stage.model.toolTexts().join("\n"))(one.fact)) found++;
  }
  const inView = shareOf(facts, ({ fact }) => isSeen(fact));
  const uncollected = facts.filter(({ ledger }) => ledger === "does-not-collect");
  const recallable = sample.length === 0 ? 1 : found / sample.length;
  return {
    in_view_pct: tenths(100 * inView),
    uncollected_in_view_pct: tenths(100 * shareOf(uncollected, ({ fact }) => isSeen(fact))),
    recallable_pct: tenths(100 * recallable),
    lost_pct: tenths(100 * (1 - inView) * (1 - recallable)),
  };
}

function shareOf(facts: readonly CourseFact[], has: (fact: CourseFact) => boolean): number {
  return facts.length === 0 ? 1 : facts.filter(has).length / facts.length;
}

function tenths(value: number): number {
  return Math.round(10 * value) / 10;
}
