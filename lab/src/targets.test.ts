import { expect, test } from "vitest";
import { missedTargets } from "./targets.ts";

const breaks = { named_right_pct: 99, false_alarms: 0, diagnostics_agree_pct: 99 };
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
const economics = (cost_ratio: number, strict_needs_pct: number, thinking_blocks_sent = 1) => ({
  profiles: { balanced: { cost_ratio, strict_needs_pct } },
  others: { append_only: { cost_ratio: 1, strict_needs_pct: 98 } },
  thinking_blocks_sent,
});
const fleet = { turn_ratio_to_bare_engine: 0.5, streams: 60, deltas: 60, events_missed: 0, events_twice: 0 };
const importing = { import_ms: 60, node_ms: 40 };
const open = { equal_to_live: true, rss_mb: 110, rss_import_mb: 100, log_bytes: 10 * 2 ** 20 + 1 };
const overhead = { growth: 3 };
const compactions = {
  recorded_summary_pct: 60,
  summary_plus_ledger_pct: 81,
  digest_pct: 81,
  rehydration_recent5_pct: 30,
  rehydration_ours_pct: 36,
};

const soak = {
  turns: 140,
  tool_results: 141,
  rejected_requests: 0,
  lost_messages: 0,
  stuck_turns: 0,
  heap_growth_mb_per_1000_turns: 15,
  prepare_growth: { median: 3 },
};

const inspect = { growth: 1.5, page_kb_gzip: 120 };

const survival = {
  ours_in_view_pct: { "10": 40 },
  ours_reused_in_view_pct: { "10": 95 },
  ours_reachable_pct: { "10": 100 },
  plain_in_view_pct: { "10": 20 },
};

const found = (recall: number, clean: number) => ({ recall_at_5_pct: recall, no_answer_clean_pct: clean });
const recall = {
  hit_at_5_pct: 78,
  no_answer_clean_pct: 80,
  from_use: { ours: found(31, 92), fts5_porter: found(22, 80) },
  german_from_use: { ours: found(19, 92), fts5_porter: found(10, 80) },
};
const extraction = {
  held_out: 100,
  remembered_pct: 85,
  false_memories: 1,
  wrong_claims: 100,
  poisoned: 0,
  cost_share_pct: 3,
  cost_asked: 1,
};

test("figures at their targets hold", () => {
  expect(missedTargets("breaks", breaks)).toEqual([]);
  expect(missedTargets("cache-fidelity", fidelity)).toEqual([]);
  expect(missedTargets("counting", counting)).toEqual([]);
  expect(missedTargets("economics", economics(0.99, 97.8))).toEqual([]);
  expect(missedTargets("fleet", fleet)).toEqual([]);
  expect(missedTargets("import", importing)).toEqual([]);
  expect(missedTargets("inspect", inspect)).toEqual([]);
  expect(missedTargets("memory", { recall, extraction })).toEqual([]);
  expect(missedTargets("chaos store", { outcome: "held" })).toEqual([]);
  expect(missedTargets("open", open)).toEqual([]);
  expect(missedTargets("overhead", overhead)).toEqual([]);
  expect(missedTargets("recorded-compactions", compactions)).toEqual([]);
  expect(missedTargets("soak", soak)).toEqual([]);
  expect(missedTargets("survival", survival)).toEqual([]);
});

test.each([
  ["breaks", { ...breaks, named_right_pct: 98.9 }],
  ["breaks", { ...breaks, false_alarms: 1 }],
  ["breaks", { ...breaks, diagnostics_agree_pct: 98.9 }],
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
  ["economics", economics(1, 97.8)],
  ["economics", economics(0.99, 97.7)],
  ["economics", economics(0.99, 97.8, 0)],
  ["fleet", { ...fleet, turn_ratio_to_bare_engine: 0.49 }],
  ["fleet", { ...fleet, deltas: 59 }],
  ["fleet", { ...fleet, events_missed: 1 }],
  ["fleet", { ...fleet, events_twice: 1 }],
  ["import", { ...importing, import_ms: 61 }],
  ["inspect", { ...inspect, growth: 1.6 }],
  ["inspect", { ...inspect, page_kb_gzip: 121 }],
  ["memory", { recall: { ...recall, hit_at_5_pct: 77.9 }, extraction }],
  ["memory", { recall: { ...recall, from_use: { ...recall.from_use, ours: found(30.9, 92) } }, extraction }],
  ["memory", { recall: { ...recall, from_use: { ...recall.from_use, fts5_porter: found(23, 80) } }, extraction }],
  [
    "memory",
    { recall: { ...recall, german_from_use: { ours: found(19, 91.9), fts5_porter: found(10, 80) } }, extraction },
  ],
  ["memory", { recall, extraction: { ...extraction, remembered_pct: 84.9 } }],
  ["memory", { recall, extraction: { ...extraction, false_memories: 2 } }],
  ["memory", { recall, extraction: { ...extraction, poisoned: 1 } }],
  ["memory", { recall, extraction: { ...extraction, cost_share_pct: 3.1 } }],
  ["memory", { recall, extraction: { ...extraction, cost_asked: 0 } }],
  ["chaos store", { outcome: "BROKEN" }],
  ["ladder", { models: [], refused: 0, controls: [] }],
  ["open", { ...open, equal_to_live: false }],
  ["open", { ...open, log_bytes: 10 * 2 ** 20 }],
  ["overhead", { growth: 3.1 }],
  ["recorded-compactions", { ...compactions, summary_plus_ledger_pct: 80.9 }],
  ["recorded-compactions", { ...compactions, digest_pct: 80.9 }],
  ["recorded-compactions", { ...compactions, rehydration_ours_pct: 35.9 }],
  ["soak", { ...soak, rejected_requests: 1 }],
  ["soak", { ...soak, lost_messages: 1 }],
  ["soak", { ...soak, stuck_turns: 1 }],
  ["soak", { ...soak, tool_results: 140 }],
  ["soak", { ...soak, heap_growth_mb_per_1000_turns: 15.1 }],
  ["soak", { ...soak, prepare_growth: { median: 3.1 } }],
  ["survival", { ...survival, ours_reused_in_view_pct: { "10": 94.9 } }],
  ["survival", { ...survival, ours_reachable_pct: { "10": 99.9 } }],
  ["survival", { ...survival, plain_in_view_pct: { "10": 20.1 } }],
])("%s misses one target with %j", (experiment, figures) => {
  expect(missedTargets(experiment, figures)).toHaveLength(1);
});
