import { setTimeout as sleep } from "node:timers/promises";
import { stallStream } from "@palimpsest/provider-simulator";
import { createView } from "../survival/view-search.ts";
import type { Contestant } from "./contestant.ts";
import type { CourseFact } from "./course-fact.ts";
import { refusalOf } from "./measure-validity.ts";
import { type PlannedTurn, planCourse } from "./plan-course.ts";
import { wordsInView } from "./request-words.ts";
import type { SummaryKind } from "./scripted-model.ts";
import { onStage, type Played, type Stage, type StageOptions } from "./stage.ts";

/** What became of one trial. */
export interface TrialFigures {
  /** Whether the last turns of the trial were done. */
  readonly went_on: boolean;
  readonly refused: number;
  readonly turns_not_done: number;
  readonly longest_turn_s: number;
  /** After a restart: facts of earlier turns that the next request shows. */
  readonly kept_pct?: number;
  /** Requests that were larger than the window, where nobody refuses them. */
  readonly above_window?: number;
}

export interface ResilienceOptions {
  readonly seed: string;
  readonly windowTokens: number;
  /** How long a turn may take in which the summarizer hangs. */
  readonly hangLimitMs: number;
  /** @default all */
  readonly trials?: readonly string[] | undefined;
}

/** R: kills, bad summarizers, and windows that are not what was told. */
export async function measureResilience(
  contestant: Contestant,
  { seed, windowTokens, hangLimitMs, trials }: ResilienceOptions,
): Promise<Readonly<Record<string, TrialFigures>>> {
  const figures: Record<string, TrialFigures> = {};
  const all: Readonly<Record<string, () => Promise<TrialFigures>>> = {
    "kill-and-resume": () => tryRestart("killed"),
    "close-and-resume": () => tryRestart("closed"),
    "summarizer-hangs": () => tryFill("hangs", { limitMs: hangLimitMs }),
    "summarizer-echoes": () => tryFill("echoes"),
    "summarizer-is-empty": () => tryFill("is-empty"),
    "summarizer-refuses": () => tryFill("refuses"),
    "summarizer-fails": () => tryFill("fails"),
    "overflow-without-a-word": () =>
      tryFill("lossy", { stage: { servedTokens: 4 * windowTokens, silentAboveTokens: windowTokens } }),
    "window-smaller-than-told": () => tryFill("lossy", { stage: { servedTokens: 0.75 * windowTokens } }),
  };
  for (const [name, run] of Object.entries(all)) {
    if (trials === undefined || trials.includes(name)) figures[name] = await run();
  }
  return figures;

  /** More than the window holds, and then turns that must be done. */
  function tryFill(
    kind: SummaryKind,
    { limitMs, stage: more = {} }: { limitMs?: number; stage?: Partial<StageOptions> } = {},
  ): Promise<TrialFigures> {
    return onStage(contestant, { seed, windowTokens, ...more }, async (stage) => {
      stage.model.summarizeAs(kind);
      const course = planCourse(`${seed} ${kind}`);
      const played: Played[] = [];
      let above = 0;
      let isHung = false;
      for (let characters = 0; characters < 1.6 * 3.5 * windowTokens && !isHung; ) {
        const turn = course.next().value;
        characters += turn.characters;
        const one = await stage.play(turn, limitMs === undefined ? {} : { limitMs });
        isHung = one.end.kind === "late";
        above += stage.model.mainAsks().filter(({ inputTokens }) => inputTokens > windowTokens).length;
        played.push(one);
      }
      const figure = figuresOf(stage, played, { last: 2 });
      return more.silentAboveTokens === undefined ? figure : { ...figure, above_window: above };
    });
  }

  /** A few turns; one that is broken off by the end of the process; and one more in another process. */
  function tryRestart(how: "killed" | "closed"): Promise<TrialFigures> {
    return onStage(contestant, { seed, windowTokens }, async (stage) => {
      const course = planCourse(`${seed} ${how}`);
      const [one, two, broken, after] = [1, 2, 3, 4].map(() => course.next().value) as [
        PlannedTurn,
        PlannedTurn,
        PlannedTurn,
        PlannedTurn,
      ];
      const played = [await stage.play(one), await stage.play(two)];
      if (how === "killed") {
        const before = stage.exchanges.length;
        // The answer has begun, and waits: the kill comes in the middle of it.
        const breaking = stage.play(broken, { wrong: { name: "stalled", fault: stallStream(2, 20_000) } });
        for (let waited = 0; stage.exchanges.length === before && waited < 15_000; waited += 50) await sleep(50);
        await sleep(100);
        await stage.kill();
        await breaking;
      }
      await stage.restart(how);
      const last = await stage.play(after);
      const first = stage.model.mainAsks()[0];
      const facts: readonly CourseFact[] = [...one.facts, ...two.facts];
      const isSeen = createView(first === undefined ? "" : wordsInView(first.request, stage.model.newestSummary()));
      const kept = facts.filter(({ fact }) => isSeen(fact)).length;
      const kept_pct = Math.round((100 * kept) / facts.length);
      return { ...figuresOf(stage, [...played, last], { last: 1 }), kept_pct };
    });
  }
}

function figuresOf(stage: Stage, played: readonly Played[], { last }: { readonly last: number }): TrialFigures {
  return {
    went_on: played.slice(-last).every(({ isDone }) => isDone),
    refused: stage.exchanges.flatMap(refusalOf).length,
    turns_not_done: played.filter(({ isDone }) => !isDone).length,
    longest_turn_s: Math.round(Math.max(...played.map(({ ms }) => ms)) / 100) / 10,
  };
}
