import { expect, test } from "vitest";
import { brokenFloors } from "./floors.ts";

const judge = {
  growth_per_block: 4,
  requests_per_second: { "5000": 20 },
  requests_per_second_unfrozen: { "5000": 10 },
};
const fidelity = {
  read_total_error_pct: -1.5,
  requests_within_5pct: 98.5,
  write_total_error_pct_explained: -5,
  unexplained_misses_pct: 2,
  baseline: { requests_within_5pct: 98.4 },
};
const counting = {
  median_abs_tokens: 40,
  p95_abs_tokens: 500,
  p99_abs_pct_of_context: 2.5,
  session_bias_mean_abs_pct: 4,
  baselines: { plain: { median_abs_tokens: 80, p95_abs_tokens: 1_000 } },
};

test("figures at the floors hold", () => {
  expect(brokenFloors("judge", judge)).toEqual([]);
  expect(brokenFloors("cache-fidelity", fidelity)).toEqual([]);
  expect(brokenFloors("counting", counting)).toEqual([]);
});

test.each([
  ["judge", { ...judge, growth_per_block: 4.1 }],
  ["judge", { ...judge, requests_per_second: { "5000": 19 } }],
  ["cache-fidelity", { ...fidelity, read_total_error_pct: -1.6 }],
  ["cache-fidelity", { ...fidelity, read_total_error_pct: 1.6 }],
  ["cache-fidelity", { ...fidelity, requests_within_5pct: 98.45 }],
  ["cache-fidelity", { ...fidelity, write_total_error_pct_explained: 5.1 }],
  ["cache-fidelity", { ...fidelity, unexplained_misses_pct: 2.1 }],
  ["cache-fidelity", { ...fidelity, baseline: { requests_within_5pct: 98.5 } }],
  ["counting", { ...counting, median_abs_tokens: 41, baselines: {} }],
  ["counting", { ...counting, p95_abs_tokens: 501, baselines: {} }],
  ["counting", { ...counting, p99_abs_pct_of_context: 2.6 }],
  ["counting", { ...counting, session_bias_mean_abs_pct: 4.1 }],
  ["counting", { ...counting, baselines: { plain: { median_abs_tokens: 79, p95_abs_tokens: 1_000 } } }],
  ["counting", { ...counting, baselines: { plain: { median_abs_tokens: 80, p95_abs_tokens: 999 } } }],
])("%s: %j breaks one", (bench, figures) => {
  expect(brokenFloors(bench, figures)).toHaveLength(1);
});
