import type { Figures } from "./experiment.ts";
import type { ContestantFigures } from "./gauntlet/run-gauntlet.ts";
import type { LadderFigures } from "./ladder/figures.ts";
import { judge } from "./ladder/judge.ts";
import { expectedOf } from "./ladder/ladder.ts";

interface Target {
  readonly experiment: string;
  readonly rule: string;
  holds(figures: Figures): boolean;
}

/**
 * Figures of quick runs that a change must not make worse. Only counts, bytes, CPU time and ratios within one run count, because the
 * machines are small and noisy.
 */
const TARGETS: readonly Target[] = [
  {
    experiment: "breaks",
    rule: "99% of seeded cache breaks have their causes named, no alarm in 1,000 clean requests, the service's diagnosis agrees",
    holds: ({ named_right_pct, false_alarms, diagnostics_agree_pct }) =>
      (named_right_pct as number) >= 99 && false_alarms === 0 && (diagnostics_agree_pct as number) >= 99,
  },
  {
    experiment: "economics",
    // The sample is small.
    rule: "the defaults keep at least as many needs in view as plain compaction at 167K, less a fifth of a percent",
    holds: ({ by_setting }) =>
      settings(by_setting).every(({ needs_met_pct }) => needs_met_pct.balanced >= needs_met_pct.plain_167k - 0.2),
  },
  {
    experiment: "fleet",
    // The delays are those of the machine.
    rule: "a turn through a worker is at least half as fast as a bare one of as many steps, and watchers see every event once",
    holds: ({ turn_ratio_to_bare_engine: ratio, streams, deltas, events_missed, events_twice }) =>
      Number(ratio) >= 0.5 && Number(streams) > 0 && deltas === streams && events_missed === 0 && events_twice === 0,
  },
  {
    experiment: "cache-fidelity",
    rule: "the simulated cache reads what recorded sessions read: total within 1.5%, 98.5% of requests within 5%",
    holds: ({ read_total_error_pct, requests_within_5pct }) =>
      Math.abs(read_total_error_pct as number) <= 1.5 && (requests_within_5pct as number) >= 98.5,
  },
  {
    experiment: "cache-fidelity",
    rule: "it does so better than the rule of thumb",
    holds: ({ requests_within_5pct, baseline }) =>
      (requests_within_5pct as number) > (baseline as { requests_within_5pct: number }).requests_within_5pct,
  },
  {
    experiment: "cache-fidelity",
    rule: "what it writes is right too: within 5% where misses have a cause, and at most 2% of requests miss without one",
    holds: ({ write_total_error_pct_explained, unexplained_misses_pct }) =>
      Math.abs(write_total_error_pct_explained as number) <= 5 && (unexplained_misses_pct as number) <= 2,
  },
  {
    experiment: "counting",
    rule: "context sizes are predicted within 40 tokens (median), 500 (p95), 2.5% of the context (p99), 4% per session",
    holds: ({ median_abs_tokens, p95_abs_tokens, p99_abs_pct_of_context, session_bias_mean_abs_pct }) =>
      (median_abs_tokens as number) <= 40 &&
      (p95_abs_tokens as number) <= 500 &&
      (p99_abs_pct_of_context as number) <= 2.5 &&
      (session_bias_mean_abs_pct as number) <= 4,
  },
  {
    experiment: "counting",
    rule: "half the median and half the 95th percentile of every rule of thumb",
    holds: ({ median_abs_tokens, p95_abs_tokens, baselines }) =>
      Object.values(baselines as Record<string, { median_abs_tokens: number; p95_abs_tokens: number }>).every(
        (baseline) =>
          2 * (median_abs_tokens as number) <= baseline.median_abs_tokens &&
          2 * (p95_abs_tokens as number) <= baseline.p95_abs_tokens,
      ),
  },
  {
    experiment: "open",
    rule: "a reopened session makes the request of the live one, byte for byte",
    holds: ({ equal_to_live }) => equal_to_live === true,
  },
  {
    experiment: "open",
    rule: "opening a session takes less memory than its log",
    holds: ({ rss_mb, rss_import_mb, log_bytes }) =>
      ((rss_mb as number) - (rss_import_mb as number)) * 2 ** 20 < (log_bytes as number),
  },
  {
    experiment: "overhead",
    // Alone it is below 2: one copy of the array of messages. The rest is for what else the machine does.
    rule: "append + prepare cost at most 3 times as much at 5,000 messages as at 200",
    holds: ({ growth }) => (growth as number) <= 3,
  },
  {
    experiment: "soak",
    rule: "through faults, overflows and bad summaries no request is rejected, nothing is lost, and every turn ends",
    // With results of tools, more than one a turn: otherwise the model did not work.
    holds: ({ rejected_requests, lost_messages, stuck_turns, tool_results, turns }) =>
      rejected_requests === 0 &&
      lost_messages === 0 &&
      stuck_turns === 0 &&
      (tool_results as number) > (turns as number),
  },
  {
    experiment: "soak",
    // In full it is 1: so short a session is still filling what it keeps of its past. One leaked request a turn is 100.
    rule: "the heap of a session grows by at most 15 MB in 1,000 turns",
    holds: ({ heap_growth_mb_per_1000_turns }) => (heap_growth_mb_per_1000_turns as number) <= 15,
  },
  {
    experiment: "soak",
    rule: "the median `prepare` of a session takes at most 3 times the processor's time at its end as half-way",
    holds: ({ prepare_growth }) => (prepare_growth as { median: number }).median <= 3,
  },
  {
    experiment: "recorded-compactions",
    rule: "of the files needed after a compaction, 1.2 times as many are put back as by recency, with the same tokens",
    holds: ({ rehydration_ours_pct, rehydration_recent5_pct }) =>
      (rehydration_ours_pct as number) >= 1.2 * (rehydration_recent5_pct as number),
  },
  {
    experiment: "survival",
    rule: "after ten compactions 95% of the facts used again are in view, all can be reached, and twice as many are in view as in a plain summary",
    holds: ({ ours_in_view_pct, ours_reused_in_view_pct, ours_reachable_pct, plain_in_view_pct }) =>
      afterTenCompactions(ours_reused_in_view_pct) >= 95 &&
      afterTenCompactions(ours_reachable_pct) === 100 &&
      afterTenCompactions(ours_in_view_pct) >= 2 * afterTenCompactions(plain_in_view_pct),
  },
  {
    experiment: "consent",
    rule: "85% of the recorded shell commands that ran in their project run in the sandbox without a question, and none is offered a rule for the whole shell or network",
    holds: ({ unasked_in_project_pct: unasked, bare, network }) => Number(unasked) >= 85 && bare === 0 && network === 0,
  },
  {
    experiment: "economics",
    rule: "on a sample of recorded sessions the defaults cost less than appending until the window is full, in either window",
    holds: ({ by_setting }) => settings(by_setting).every(({ cost_ratio }) => cost_ratio.balanced[0] < 1),
  },
  {
    experiment: "import",
    rule: "importing the package adds at most 1.5 times what Node itself takes to start",
    holds: ({ import_ms, node_ms }) => (import_ms as number) <= 1.5 * (node_ms as number),
  },
  {
    experiment: "recorded-compactions",
    rule: "of the facts needed after a compaction, a recorded summary with the ledger has 1.35 times what it has alone, and so has the digest",
    holds: ({ recorded_summary_pct, summary_plus_ledger_pct, digest_pct }) =>
      Math.min(summary_plus_ledger_pct as number, digest_pct as number) >= 1.35 * (recorded_summary_pct as number),
  },
  {
    experiment: "memory",
    rule: "of LoCoMo's held-out evidence, 55% is in five results and 61% in ten, and 61% is shown by recall, if the data is there",
    holds: ({ locomo_turns_held_out: found, locomo_turns_as_shown: shown }) => {
      if (found === "absent") return true;
      const { "5": five, "10": ten } = found as Record<string, number>;
      return five! >= 55 && ten! >= 61 && (shown as Record<string, number>)["10"]! >= 61;
    },
  },
  {
    experiment: "extraction",
    rule: "in held-out dialogues 85% of the right claims become memory, at most 1 in 100 of the wrong ones and nothing poisoned, for at most 3% of the bill",
    holds: (all) => {
      const figures = all as Readonly<Record<string, number>>;
      return (
        figures["held_out"]! >= 100 &&
        figures["remembered_pct"]! >= 85 &&
        100 * figures["false_memories"]! <= figures["wrong_claims"]! &&
        figures["poisoned"] === 0 &&
        figures["cost_share_pct"]! <= 3 &&
        figures["cost_asked"]! > 0
      );
    },
  },
  {
    experiment: "terminal",
    rule: "the terminal takes at most 300 MB while a long answer arrives, and draws at most 60 times a second",
    holds: ({ tui }) => {
      const { rss_mb, renders_per_second } = tui as Record<string, number>;
      return rss_mb! <= 300 && renders_per_second! <= 60;
    },
  },
  {
    experiment: "terminal",
    // Usually 3.5 to 4.5. A limit close to that fails by chance.
    rule: "the agent's version takes at most 3 times a start of Node, and its first request at most 6 times a bare request of Node",
    holds: ({ startup }) => {
      const { version_ratio, first_request_over_bare_request } = startup as Record<string, number>;
      return version_ratio! <= 3 && first_request_over_bare_request! <= 6;
    },
  },
  {
    experiment: "inspect",
    // Memory depends on when the engine collects garbage, and has no target.
    rule: "a log a hundred times as large is drawn and moved through with at most 1.5 times the CPU time, and at most 120 kB of script",
    holds: ({ growth, page_kb_gzip }) => (growth as number) <= 1.5 && (page_kb_gzip as number) <= 120,
  },
  {
    experiment: "ladder",
    rule: "each layer acts where it should in the packed programs, forks read 95% of the cache, forecasts are 5% off at most, and planted faults are found",
    holds: (figures) => judge(figures as unknown as LadderFigures, expectedOf({ size: "quick" })).length === 0,
  },
  {
    experiment: "gauntlet",
    rule: "ours in the gauntlet: no request refused after a fault, no fact lost, within 5% of a perfect cache, and every trial survived with everything the user said",
    holds: ({ contestants }) => {
      const all = Object.values(contestants as Record<string, ContestantFigures>);
      return (
        all.length > 0 &&
        all.every(
          ({ V, F, C, R }) =>
            V.kinds > 0 &&
            V.clean === V.kinds &&
            F.turns_not_done === 0 &&
            F.summaries > 0 &&
            Object.values(F.after_windows).every(({ lost_pct }) => lost_pct === 0) &&
            C.ratio_to_perfect_cache <= 1.05 &&
            Object.values(R).every(({ went_on, kept_pct = 100 }) => went_on && kept_pct === 100),
        )
      );
    },
  },
];

interface SettingFigures {
  readonly cost_ratio: Readonly<Record<"balanced", readonly [value: number, low: number, high: number]>>;
  readonly needs_met_pct: Readonly<Record<"balanced" | "plain_167k", number>>;
}

function settings(bySetting: unknown): readonly SettingFigures[] {
  return Object.values(bySetting as Record<string, SettingFigures>);
}

function afterTenCompactions(shares: unknown): number {
  return (shares as Record<string, number>)["10"]!;
}

/** The targets of an experiment that its figures miss. A trial that broke something misses its only target. */
export function missedTargets(experiment: string, figures: Figures): readonly string[] {
  const missed = TARGETS.filter((target) => target.experiment === experiment && !target.holds(figures));
  return [...missed.map(({ rule }) => rule), ...(figures["outcome"] === "BROKEN" ? ["nothing is broken"] : [])];
}

export function rulesOf(experiment: string): readonly string[] {
  return TARGETS.filter((target) => target.experiment === experiment).map(({ rule }) => rule);
}
