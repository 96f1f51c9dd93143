import { expect, test } from "vitest";
import { missedTargets } from "../targets.ts";
import type { Contestant } from "./contestant.ts";
import { CONTESTANTS } from "./contestants.ts";
import { measureResilience } from "./measure-resilience.ts";
import { measureValidity } from "./measure-validity.ts";
import { runCourse } from "./run-course.ts";

const course = { seed: "a test", windowTokens: 24_000, afterWindows: [1] };
const named = (name: string): Contestant => CONTESTANTS.find((one) => one.name === name)!;

test("who does nothing is stuck at the end of the window, and has lost all", async () => {
  const { F } = await runCourse(named("do-nothing"), { ...course, afterWindows: [2] });
  expect(F).toMatchObject({ summaries: 0, turns_not_done: 3, after_windows: { 2: { lost_pct: 100 } } });
  expect(F.stuck_after_windows).toBeGreaterThan(1);
});

test("who knows the course has every fact in view, for about what a perfect cache costs", async () => {
  const { F, C } = await runCourse(named("oracle"), course);
  expect(F).toMatchObject({ refused: 0, turns_not_done: 0, after_windows: { 1: { in_view_pct: 100, lost_pct: 0 } } });
  expect(F.reductions).toBeGreaterThan(0);
  expect(C.ratio_to_perfect_cache).toBeGreaterThan(0.95);
  expect(C.ratio_to_perfect_cache).toBeLessThan(1.05);
});

test("a blank answer that is sent back is refused, and the session is stuck", async () => {
  const V = await measureValidity(named("do-nothing"), { ...course, only: ["blank-words", "overloaded"] });
  expect(V).toMatchObject({ kinds: 2, clean: 1, stuck: 1 });
  expect(V.not_clean["blank-words"]).toContain("non-whitespace");
});

test("a kill in the middle of an answer takes nothing from a list on disk; overflow without a word is not noticed", async () => {
  const trials = ["kill-and-resume", "overflow-without-a-word"];
  const R = await measureResilience(named("do-nothing"), { ...course, hangLimitMs: 1_000, trials });
  expect(R["kill-and-resume"]).toMatchObject({ went_on: true, refused: 0, kept_pct: 100 });
  expect(R["overflow-without-a-word"]).toMatchObject({ went_on: false, refused: 0 });
  expect(R["overflow-without-a-word"]?.above_window).toBeGreaterThan(0);
});

test("the target covers every axis", () => {
  const good = {
    V: { kinds: 5, clean: 5 },
    F: { turns_not_done: 0, summaries: 2, after_windows: { 1: { lost_pct: 0 } } },
    C: { ratio_to_perfect_cache: 1.05 },
    R: { "kill-and-resume": { went_on: true, kept_pct: 100 } },
  };
  const of = (more: object) => ({ contestants: { one: { ...good, ...more } } });
  expect(missedTargets("gauntlet", of({}))).toEqual([]);
  expect(missedTargets("gauntlet", { contestants: {} })).toHaveLength(1);
  const worse = [
    { V: { kinds: 5, clean: 4 } },
    { V: { kinds: 0, clean: 0 } },
    { F: { ...good.F, turns_not_done: 1 } },
    { F: { ...good.F, summaries: 0 } },
    { F: { ...good.F, after_windows: { 1: { lost_pct: 0.1 } } } },
    { C: { ratio_to_perfect_cache: 1.06 } },
    { R: { "kill-and-resume": { went_on: false, kept_pct: 100 } } },
    { R: { "kill-and-resume": { went_on: true, kept_pct: 99 } } },
  ];
  for (const more of worse) expect(missedTargets("gauntlet", of(more))).toHaveLength(1);
});
