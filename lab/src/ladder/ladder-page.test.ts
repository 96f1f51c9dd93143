import { expect, test } from "vitest";
import type { LayerAction, RowFigures } from "./figures.ts";
import { layersTable } from "./ladder-page.ts";

const action = (more: Partial<LayerAction>): LayerAction => ({
  layer: "clearing",
  acted: true,
  scenario: "a pause of two hours",
  at_tokens: 120_000,
  cache_read_tokens: 0,
  way: null,
  fork_cache_read_pct: null,
  ...more,
});

const row = (model: string, layers: readonly LayerAction[]): RowFigures => ({
  model,
  via: "library",
  first_layer: "clear",
  stubs_after: 16,
  whole_results_after: 4,
  tokens_before_pause: 120_000,
  tokens_after_pause: 28_000,
  cache_read_after_pause: 0,
  fork_cache_read_pct: { summary: 100, agent: 100 },
  next_request_error_pct: 1,
  folder_rules_cases: 5,
  folder_rules_missing: 0,
  layers,
});

test("the table joins programs in which a layer acts alike, and names the others", () => {
  const compaction = action({ layer: "compaction", scenario: "growth inside a turn", fork_cache_read_pct: 99 });
  const models = [
    row("one", [action({}), compaction, action({ layer: "notes", acted: false, scenario: "they were not updated" })]),
    row("two", [action({ at_tokens: 100_000 }), compaction, action({ layer: "notes", scenario: "growth" })]),
  ];
  expect(layersTable({ models }).split("\n").slice(2)).toEqual([
    "| clearing | a pause of two hours | 100K to 120K |  | all |",
    "| compaction | growth inside a turn | 120K | 99% | all |",
    "| notes | does not act: they were not updated |  |  | library one |",
    "| notes | growth | 120K |  | library two |",
  ]);
});
