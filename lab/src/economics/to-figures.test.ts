import { expect, test } from "vitest";
import type { SessionReport } from "./read-reports.ts";
import type { Score } from "./score-session.ts";
import { sampleScore } from "./testing/sample-score.ts";
import { toFigures } from "./to-figures.ts";

const SETTING = "200K/0.1/5m";
const report = (repository: string, agent: string, balanced: Partial<Score>, plain: Partial<Score>): SessionReport => ({
  name: `${repository}/1`,
  repository,
  agent,
  rounds: 10,
  userMessages: 4,
  together: { readRounds: 5, savedRounds: 2 },
  scores: {
    [SETTING]: { "append-only": sampleScore(), balanced: sampleScore(balanced), "plain-80k": sampleScore(plain) },
  },
});
const reports = [
  report("one", "codex", { price: 8, compactions: 2 }, { price: 8, strict: 80 }),
  report("one", "codex", { price: 8, dearStops: 1 }, { price: 9, strict: 80 }),
  report("two", "pi", { price: 11, linesMet: 15 }, { price: 10, strict: 80 }),
];

test("costs are relative to appending, with bounds by session and by repository", () => {
  const { sessions, by_setting, ...others } = toFigures(reports) as unknown as Shown;
  const figures = by_setting[SETTING]!;
  expect(sessions).toBe(3);
  expect(others).toMatchObject({ read_only_rounds: 15, rounds_saved_by_calls_together: 6 });
  expect(figures["cost_ratio"]!["balanced"]).toEqual([0.9, 0.8, 1.1]);
  expect(figures["cost_ratio_by_repository"]!["balanced"]).toEqual([0.9, 0.8, 1.1]);
  expect(figures["edit_lines_unmet_pct"]!["balanced"]).toBe(8.33);
  expect(figures["needs_strict_pct"]!["plain_80k"]).toBe(80);
  expect(figures["compactions_per_user_message"]!["balanced"]).toBe(0.167);
  expect(figures["second_summaries_cost_pct"]!["balanced"]).toBe(2.22);
});

test("a profile is held against plain compaction on the same sessions", () => {
  const { by_setting } = toFigures(reports) as unknown as Shown;
  expect(by_setting[SETTING]!["against_plain"]!["balanced"]).toEqual({
    plain_80k: { cost: [0, -0.1, 0.1], needs_strict_pct: [15, 15, 15] },
  });
});

test("the spread over sessions and stopping points is told, and each agent by itself", () => {
  const { by_setting, by_agent } = toFigures(reports) as unknown as Shown & { by_agent: Record<string, Shown> };
  const figures = by_setting[SETTING]!;
  expect(figures["dearer_sessions_pct"]!["balanced"]).toBe(33.3);
  expect(figures["worst_session"]!["balanced"]).toBe(1.1);
  expect(figures["dearer_stops_pct"]!["balanced"]).toBe(3.33);
  expect(by_agent["pi"]!.sessions).toBe(1);
  expect(by_agent["codex"]!.by_setting[SETTING]!["cost_ratio"]!["balanced"]).toEqual([0.8, 0.8, 0.8]);
});

interface Shown {
  readonly sessions: number;
  readonly by_setting: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
}
