import { expect, test } from "vitest";
import type { LadderFigures, LayerAction, RowFigures } from "./figures.ts";
import { type Expected, judge } from "./judge.ts";

const EXPECTED: Expected = {
  rows: ["agent one", "library two"],
  models: 2,
  controls: "needed",
  forecastErrorPct: 5,
};

function acted(layer: LayerAction["layer"], more: Partial<LayerAction> = {}): LayerAction {
  const figures = { at_tokens: 1_000, cache_read_tokens: 900, way: null, fork_cache_read_pct: null };
  return { layer, acted: true, scenario: "a scenario", ...figures, ...more };
}

const LAYERS = [
  acted("storage"),
  acted("clearing"),
  acted("notes", { fork_cache_read_pct: 99 }),
  acted("compaction", { way: "fork", fork_cache_read_pct: 95 }),
  acted("memory", { acted: false }),
  acted("dreaming", { acted: false }),
  acted("agents", { fork_cache_read_pct: 100 }),
];

function row(via: "agent" | "library", model: string, more: Partial<RowFigures> = {}): RowFigures {
  return {
    model,
    via,
    first_layer: "clear",
    stubs_after: 12,
    whole_results_after: 4,
    tokens_before_pause: 120_000,
    tokens_after_pause: 60_000,
    cache_read_after_pause: 0,
    fork_cache_read_pct: { summary: 95, agent: 100 },
    next_request_error_pct: 5,
    folder_rules_cases: 10,
    folder_rules_missing: 0,
    layers: LAYERS,
    ...more,
  };
}

const CONTROLS = ["a", "b", "c", "d"].map((name) => ({ name, failed: true }));

function figures(changed: Partial<RowFigures>, more: Partial<LadderFigures> = {}): LadderFigures {
  return { models: [row("agent", "one", changed), row("library", "two")], refused: 0, controls: CONTROLS, ...more };
}

test("judge finds no problem in figures at their limits", () => {
  expect(judge(figures({}), EXPECTED)).toEqual([]);
});

test.each<[Partial<RowFigures>, string]>([
  [{ first_layer: "compact" }, 'first_layer is "compact"'],
  [{ first_layer: "none" }, 'first_layer is "none"'],
  [{ tokens_after_pause: 60_001 }, "tokens_after_pause is 60001 of 120000"],
  [{ stubs_after: 11 }, "stubs_after is 11"],
  [{ whole_results_after: 9 }, "whole_results_after is 9"],
  [{ cache_read_after_pause: 1 }, "cache_read_after_pause is 1"],
  [{ fork_cache_read_pct: { summary: 94.9, agent: 100 } }, "fork_cache_read_pct.summary is 94.9"],
  [{ fork_cache_read_pct: { summary: 100, agent: Number.NaN } }, "fork_cache_read_pct.agent is NaN"],
  [{ next_request_error_pct: 5.1 }, "next_request_error_pct is 5.1"],
  [{ folder_rules_cases: 9 }, "folder_rules_cases is 9; 10 are needed"],
  [{ folder_rules_missing: 1 }, "folder_rules_missing is 1 of 10 cases"],
  [{ layers: LAYERS.filter(({ layer }) => layer !== "storage") }, 'The layer "storage" acted in no scenario'],
  [{ layers: [...LAYERS, acted("notes", { fork_cache_read_pct: 90 })] }, 'the fork of the layer "notes" read 90%'],
  [{ layers: [...LAYERS, acted("compaction", { way: "digest" })] }, "no model wrote the summary"],
])("judge finds one problem in %j", (changed, problem) => {
  expect(judge(figures(changed), EXPECTED)).toEqual([expect.stringContaining(problem)]);
  expect(judge(figures(changed), EXPECTED)[0]).toMatch(/^agent one: /);
});

test("judge counts compactions, and not the layers that are off", () => {
  const layers = LAYERS.map((one) => (one.layer === "compaction" ? { ...one, acted: false } : one));
  expect(judge(figures({ layers }), EXPECTED)).toEqual(['agent one: The layer "compaction" acted in no scenario.']);
});

test("judge needs each row and each model", () => {
  const { models } = figures({});
  expect(judge(figures({}, { models: models.slice(1) }), EXPECTED)).toEqual([
    'There is no row "agent one".',
    "1 different models ran; 2 are needed.",
  ]);
});

test("judge needs an update of session notes in one row only", () => {
  const layers = LAYERS.filter(({ layer }) => layer !== "notes");
  expect(judge(figures({ layers }), EXPECTED)).toEqual([]);
  const models = [row("agent", "one", { layers }), row("library", "two", { layers })];
  expect(judge(figures({}, { models }), EXPECTED)).toEqual([expect.stringContaining("notes were not updated")]);
});

test("judge reports refused requests", () => {
  expect(judge(figures({}, { refused: 1 }), EXPECTED)).toEqual([expect.stringContaining("refused is 1")]);
});

test("judge needs four planted faults that were all found, unless rows were chosen", () => {
  const controls = [...CONTROLS.slice(2), { name: "a warm cache", failed: false }];
  expect(judge(figures({}, { controls }), EXPECTED)).toEqual([
    "3 faults were planted; 4 are needed.",
    'The planted fault "a warm cache" was not found by this judge.',
  ]);
  expect(judge(figures({}, { controls }), { ...EXPECTED, controls: "left-out" })).toEqual([]);
});
