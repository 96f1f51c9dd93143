import { expect, test } from "vitest";
import { type EconomicsFigures, economicsTables, ownerOf, type SettingFigures } from "./economics-tables.ts";

const POLICIES = [
  "append_only",
  "quality",
  "balanced",
  "economy",
  "balanced_two_lifetimes",
  "plain_80k",
  "plain_100k",
  "plain_130k",
  "plain_167k",
];
const each = <Value>(value: Value) => Object.fromEntries(POLICIES.map((policy) => [policy, value]));
const SETTING: SettingFigures = {
  cost_ratio: { ...each([0.9, 0.8, 1] as const), balanced: [0.86, 0.84, 0.88] },
  cost_ratio_by_repository: each([0.9, 0.7, 1.1] as const),
  bare_cost_ratio: each(0.9),
  needs_strict_pct: each(96.2),
  edit_lines_unmet_pct: each(5),
  needs_met_pct: each(98),
  names_met_pct: each(98.5),
  refetches: each(12),
  compactions: each(3),
  compactions_per_user_message: each(0.1),
  seconds_waited_per_user_message: each(9.5),
  dearer_sessions_pct: each(5),
  median_session: each(0.9),
  worst_session: each(1.1),
  dearer_stops_pct: each(1),
  dearer_early_stops_pct: each(4),
  worst_stop: each(1.3),
  of_best_known: each(1.2),
  against_plain: { balanced: { plain_100k: { cost: [0.02, 0.01, 0.03], needs_strict_pct: [5, 4, 6] } } },
};
const FIGURES: EconomicsFigures = {
  sessions: 154,
  failed: 1,
  failed_sessions: [{ name: "some/session", reason: "Error" }],
  requests: 1_000,
  user_messages: 100,
  read_only_rounds: 300,
  rounds_saved_by_calls_together: 90,
  recorded_output_ratio: 1.3,
  assumed: { output_tokens_per_second: 70, seconds_to_first_token: 2 },
  by_setting: { "200K/0.1/5m": SETTING, "200K/0.1/1h": SETTING },
  by_agent: { claude_code: { sessions: 154, by_setting: { "200K/0.1/5m": SETTING } } },
  held_out: {
    "200K/0.1/5m": {
      chosen: { one: "balanced", two: "balanced", three: "quality" },
      choice_of_all: "balanced",
      cost_ratio: 0.87,
      needs_strict_pct: 96,
      floor_strict_pct: 96.2,
    },
  },
};

test("every figure has its place, the cheapest policy first, and failures are named", () => {
  const tables = economicsTables(FIGURES);
  expect(tables["sessions"]).toContain("1 failed: some/session.");
  expect(tables["sessions"]).toContain("at most 90 could");
  expect(tables["lifetimes"]).toContain("**balanced-two-lifetimes** | 0.900 |");
  const [, , first] = tables["200K/0.1/5m"]!.split("\n");
  expect(first).toBe(
    "| **balanced** | 0.860 | 0.840 to 0.880 | 0.700 to 1.100 | 96.20 | 5.00 | 98.50 | 12 | 0.100 | 9.5 | 1.20 |",
  );
  expect(tables["against plain compaction"]).toContain(
    "| **balanced** | plain-100k | 0.020 (0.010 to 0.030) | 5.00 (4.00 to 6.00) |",
  );
  expect(tables["held out"]).toContain("| balanced: 2, quality: 1 | **balanced** |");
  expect(tables["agents"]).toContain("| claude-code | 154 |");
  expect(tables["all settings"]!.split("\n")).toHaveLength(4);
  expect(tables["spread"]).not.toContain("undefined");
});

test("policies are ours, those of others, or there to compare with", () => {
  expect(["economy_two_lifetimes", "from_250k", "codex", "plain_80k", "best_known"].map(ownerOf)).toEqual([
    "us",
    "us",
    "others",
    "nobody",
    "nobody",
  ]);
});
