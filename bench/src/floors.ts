import type { Figures } from "./bench.ts";
import { BY_HAND_RULE, holdsByHand } from "./by-hand/by-hand-floor.ts";
import { DOORS_RULE, holdsAtDoors } from "./doors/doors-floor.ts";
import { GAUNTLET_RULE, holdsOnGauntlet } from "./gauntlet/gauntlet-floor.ts";
import { holdsInInspector, INSPECT_RULE } from "./inspect/inspect-floor.ts";
import { holdsAtProxy, PROXY_RULE } from "./proxy/proxy-floor.ts";
import { afterTen, at5000, type Searchers, settings } from "./read-figures.ts";

interface Floor {
  readonly bench: string;
  readonly rule: string;
  holds(figures: Figures): boolean;
}

/** Figures that a change must not make worse. Only counts and ratios within one run: the machines are small and noisy. */
const FLOORS: readonly Floor[] = [
  {
    bench: "analyze",
    // Alone it is 5 times; what is short is mostly the compiler's.
    rule: "analysing a transcript takes at most 20 times reading its lines and parsing them, and 200 MB, and misses no response",
    holds: ({ ratio, rss_mb, equal_responses }) =>
      (ratio as number) <= 20 && (rss_mb as number) <= 200 && equal_responses === true,
  },
  {
    bench: "judge",
    rule: "a block of a conversation of 5,000 costs at most 4 times a block of one of 100",
    holds: ({ growth_per_block }) => (growth_per_block as number) <= 4,
  },
  {
    bench: "judge",
    rule: "remembering frozen blocks makes judging 5,000 blocks at least twice as fast",
    holds: ({ requests_per_second, requests_per_second_unfrozen }) =>
      at5000(requests_per_second) >= 2 * at5000(requests_per_second_unfrozen),
  },
  {
    bench: "breaks",
    rule: "99% of seeded cache breaks have their causes named, no alarm in 1,000 clean requests, the service's diagnosis agrees",
    holds: ({ named_right_pct, false_alarms, diagnostics_agree_pct }) =>
      (named_right_pct as number) >= 99 && false_alarms === 0 && (diagnostics_agree_pct as number) >= 99,
  },
  { bench: "by-hand", rule: BY_HAND_RULE, holds: holdsByHand },
  { bench: "proxy", rule: PROXY_RULE, holds: holdsAtProxy },
  { bench: "sandbox", rule: "at most 3 times plain bubblewrap", holds: ({ ratio }) => (ratio as number) <= 3 },
  {
    bench: "consent",
    rule: "of recorded shell commands that were run in their project 85% run unasked in the sandbox, none is offered a rule for the whole shell or for the network",
    holds: ({ unasked_in_project_pct: unasked, bare, network }) => Number(unasked) >= 85 && bare === 0 && network === 0,
  },
  {
    bench: "dispatch",
    // 0.4 to 0.9 of an append was seen; the delays are those of the machine.
    rule: "every watcher sees every event once, whether it listens or polls, and publishing costs at most 3 appends",
    holds: ({ publish_ratio_to_append, notify_ratio_to_append, listening, polling }) =>
      Math.max(Number(publish_ratio_to_append), Number(notify_ratio_to_append)) <= 3 &&
      [listening, polling].every((watched) => {
        const { events, missed, twice } = watched as Record<string, number>;
        return events! > 0 && missed === 0 && twice === 0;
      }),
  },
  { bench: "doors", rule: DOORS_RULE, holds: holdsAtDoors },
  {
    bench: "economics",
    rule: "on a sample of recorded sessions the defaults cost less than appending until the window is full, in either window",
    holds: ({ by_setting }) => settings(by_setting).every(({ cost_ratio }) => cost_ratio.balanced[0] < 1),
  },
  {
    bench: "economics",
    rule: "and they meet at least as many needs in view as plain compaction at 167K, less a fifth of a percent: the sample is small",
    holds: ({ by_setting }) =>
      settings(by_setting).every(({ needs_met_pct }) => needs_met_pct.balanced >= needs_met_pct.plain_167k - 0.2),
  },
  {
    bench: "extraction",
    rule: "of held-out dialogues 85% of the right claims become memory, at most 1 in 100 of the wrong ones and nothing poisoned, for at most 3% of the bill",
    holds: ({ held_out, remembered_pct, false_memories, wrong_claims, poisoned, cost_share_pct, cost_asked }) =>
      Number(held_out) >= 100 &&
      Number(remembered_pct) >= 85 &&
      100 * Number(false_memories) <= Number(wrong_claims) &&
      poisoned === 0 &&
      Number(cost_share_pct) <= 3 &&
      Number(cost_asked) > 0,
  },
  {
    bench: "fleet",
    // The delays are those of the machine.
    rule: "a turn through a worker is at least half as fast as a bare one of as many steps, and watchers see every event once",
    holds: ({ turn_ratio_to_bare_engine: ratio, streams, deltas, events_missed, events_twice }) =>
      Number(ratio) >= 0.5 && Number(streams) > 0 && deltas === streams && events_missed === 0 && events_twice === 0,
  },
  {
    bench: "postgres",
    // 0.74 to 0.98 was seen on busy machines. An attempt counts only if it succeeds for who has the right.
    rule: "appends in PostgreSQL are at least half as fast as the same statement bare, a session opens in 3 round trips, no tenant crosses",
    holds: ({ append_ratio_to_bare, open_round_trips, rls_crossings, rls_attempts }) =>
      Number(append_ratio_to_bare) >= 0.5 &&
      Number(open_round_trips) <= 3 &&
      rls_crossings === 0 &&
      Number(rls_attempts) >= 20,
  },
  {
    bench: "promises",
    rule: "no promise to users is broken at the edges of library and agent, and nothing fails in silence",
    holds: ({ broken, silent }) => broken === 0 && silent === 0,
  },
  {
    bench: "rates",
    // 18 was seen on a busy machine.
    rule: "portions of a limit in PostgreSQL let at least 3 times as many requests through as a row for every request",
    holds: ({ ratio }) => Number(ratio) >= 3,
  },
  {
    bench: "recall",
    // It was 85% while dates, slips, compounds and longer word lists were found by hand: they won nothing on queries from use.
    rule: "of held-out queries 78% find the right memory among five, and 80% of those that no memory answers find none",
    holds: ({ hit_at_5_pct, no_answer_clean_pct }) =>
      (hit_at_5_pct as number) >= 78 && (no_answer_clean_pct as number) >= 80,
  },
  {
    bench: "recall",
    rule: "of queries written from use 31% find the right memory among five, and 92% of those that no memory answers find none",
    holds: ({ from_use }) => {
      const { recall_at_5_pct, no_answer_clean_pct } = (from_use as Searchers).ours;
      return recall_at_5_pct >= 31 && no_answer_clean_pct >= 92;
    },
  },
  {
    bench: "recall",
    rule: "of German queries written from use 19% find the right memory among five, 92% of the idle ones find none, and German stems win more than 3 points",
    holds: ({ german_from_use }) => {
      const { ours, ours_without_german_stems } = german_from_use as Searchers;
      const won = ours.recall_at_5_pct - ours_without_german_stems.recall_at_5_pct;
      return ours.recall_at_5_pct >= 19 && ours.no_answer_clean_pct >= 92 && won > 3;
    },
  },
  {
    bench: "recall",
    rule: "the word lists that are kept by hand win more than 3 points each of them, and 8 over FTS5 alone",
    holds: ({ from_use }) => {
      const { ours, ours_without_thesaurus, ours_without_common_words, fts5_porter } = from_use as Searchers;
      const won = (other: { readonly recall_at_5_pct: number }) => ours.recall_at_5_pct - other.recall_at_5_pct;
      return won(ours_without_thesaurus) > 3 && won(ours_without_common_words) > 3 && won(fts5_porter) > 8;
    },
  },
  {
    bench: "cache-fidelity",
    rule: "the simulated cache reads what recorded sessions read: total within 1.5%, 98.5% of requests within 5%",
    holds: ({ read_total_error_pct, requests_within_5pct }) =>
      Math.abs(read_total_error_pct as number) <= 1.5 && (requests_within_5pct as number) >= 98.5,
  },
  {
    bench: "cache-fidelity",
    rule: "it does so better than the rule of thumb",
    holds: ({ requests_within_5pct, baseline }) =>
      (requests_within_5pct as number) > (baseline as { requests_within_5pct: number }).requests_within_5pct,
  },
  {
    bench: "cache-fidelity",
    rule: "what it writes is right too: within 5% where misses have a cause, and at most 2% of requests miss without one",
    holds: ({ write_total_error_pct_explained, unexplained_misses_pct }) =>
      Math.abs(write_total_error_pct_explained as number) <= 5 && (unexplained_misses_pct as number) <= 2,
  },
  {
    bench: "counting",
    rule: "context sizes are predicted within 40 tokens (median), 500 (p95), 2.5% of the context (p99), 4% per session",
    holds: ({ median_abs_tokens, p95_abs_tokens, p99_abs_pct_of_context, session_bias_mean_abs_pct }) =>
      (median_abs_tokens as number) <= 40 &&
      (p95_abs_tokens as number) <= 500 &&
      (p99_abs_pct_of_context as number) <= 2.5 &&
      (session_bias_mean_abs_pct as number) <= 4,
  },
  {
    bench: "counting",
    rule: "half the median and half the 95th percentile of every rule of thumb",
    holds: ({ median_abs_tokens, p95_abs_tokens, baselines }) =>
      Object.values(baselines as Record<string, { median_abs_tokens: number; p95_abs_tokens: number }>).every(
        (baseline) =>
          2 * (median_abs_tokens as number) <= baseline.median_abs_tokens &&
          2 * (p95_abs_tokens as number) <= baseline.p95_abs_tokens,
      ),
  },
  {
    bench: "forks",
    rule: "16 forks of one moment read 99% of their input from the cache, and cost at most 15% of what they would cost alone",
    holds: ({ cache_read_pct, price_ratio_to_unshared }) =>
      (cache_read_pct as number) >= 99 && (price_ratio_to_unshared as number) <= 0.15,
  },
  { bench: "gauntlet", rule: GAUNTLET_RULE, holds: holdsOnGauntlet },
  {
    bench: "import",
    rule: "importing the package adds at most 1.5 times what Node itself takes to start",
    holds: ({ import_ms, node_ms }) => (import_ms as number) <= 1.5 * (node_ms as number),
  },
  {
    bench: "many",
    rule: "500 open sessions on disk take at most 120 MB more than in memory",
    holds: ({ rss_mb, memory_store }) => (rss_mb as number) - (memory_store as { rss_mb: number }).rss_mb <= 120,
  },
  {
    bench: "microcompact",
    rule: "planning what to clear adds as little to a turn of a session of 5,000 messages as to one of 200 (3 times at most)",
    holds: ({ growth }) => (growth as number) <= 3,
  },
  {
    bench: "open",
    rule: "a reopened session makes the request of the live one, byte for byte",
    holds: ({ equal_to_live }) => equal_to_live === true,
  },
  {
    bench: "open",
    rule: "opening a session takes less memory than its log",
    holds: ({ rss_mb, rss_import_mb, log_bytes }) =>
      ((rss_mb as number) - (rss_import_mb as number)) * 2 ** 20 < (log_bytes as number),
  },
  {
    bench: "overhead",
    // Alone it is below 2: one copy of the array of messages. The rest is for what else the machine does.
    rule: "append + prepare cost at most 3 times as much at 5,000 messages as at 200",
    holds: ({ growth }) => (growth as number) <= 3,
  },
  {
    bench: "soak",
    rule: "through faults, overflows and bad summaries no request is rejected, nothing is lost, and every turn ends",
    // With results of tools, more than one a turn: otherwise the model did not work.
    holds: ({ rejected_requests, lost_messages, stuck_turns, tool_results, turns }) =>
      rejected_requests === 0 &&
      lost_messages === 0 &&
      stuck_turns === 0 &&
      (tool_results as number) > (turns as number),
  },
  {
    bench: "soak",
    // In full it is 1: so short a session is still filling what it keeps of its past. One leaked request a turn is 100.
    rule: "the heap of a session grows by at most 15 MB in 1,000 turns",
    holds: ({ heap_growth_mb_per_1000_turns }) => (heap_growth_mb_per_1000_turns as number) <= 15,
  },
  {
    bench: "soak",
    rule: "the median `prepare` of a session takes at most 3 times the processor's time at its end as half-way",
    holds: ({ prepare_growth }) => (prepare_growth as { median: number }).median <= 3,
  },
  {
    bench: "spill",
    rule: "storing an output while it arrives takes at most 64 MB",
    holds: ({ rss_growth_mb }) => (rss_growth_mb as number) <= 64,
  },
  {
    bench: "tui",
    rule: "the terminal takes at most 300 MB while a long answer comes, and is drawn at most 60 times a second",
    holds: ({ rss_mb, renders_per_second }) => (rss_mb as number) <= 300 && (renders_per_second as number) <= 60,
  },
  {
    bench: "startup",
    // Typically 3.5 to 4.5, as before the sandbox and the questions were written anew: a limit near that fails by chance.
    rule: "the agent's version takes at most 3 times a start of Node, its first request at most 6 times a bare request of Node",
    holds: ({ version_ratio, first_request_over_bare_request }) =>
      (version_ratio as number) <= 3 && (first_request_over_bare_request as number) <= 6,
  },
  { bench: "inspect", rule: INSPECT_RULE, holds: holdsInInspector },
  {
    bench: "recorded-compactions",
    rule: "of the facts needed after a compaction, a recorded summary with the ledger has 1.35 times what it has alone, and so has the digest",
    holds: ({ recorded_summary_pct, summary_plus_ledger_pct, digest_pct }) =>
      Math.min(summary_plus_ledger_pct as number, digest_pct as number) >= 1.35 * (recorded_summary_pct as number),
  },
  {
    bench: "recorded-compactions",
    rule: "of the files needed after a compaction, 1.2 times as many are put back as by recency, with the same tokens",
    holds: ({ rehydration_ours_pct, rehydration_recent5_pct }) =>
      (rehydration_ours_pct as number) >= 1.2 * (rehydration_recent5_pct as number),
  },
  {
    bench: "survival",
    rule: "after ten compactions 95% of the facts used again are in view, all can be reached, and twice as many are in view as in a plain summary",
    holds: ({ ours_in_view_pct, ours_reused_in_view_pct, ours_reachable_pct, plain_in_view_pct }) =>
      afterTen(ours_reused_in_view_pct) >= 95 &&
      afterTen(ours_reachable_pct) === 100 &&
      afterTen(ours_in_view_pct) >= 2 * afterTen(plain_in_view_pct),
  },
];

/** The floors of a bench that its figures break. */
export function brokenFloors(bench: string, figures: Figures): string[] {
  return FLOORS.filter((floor) => floor.bench === bench && !floor.holds(figures)).map(({ rule }) => rule);
}

/** What a bench is held to, in words. */
export function rulesOf(bench: string): readonly string[] {
  return FLOORS.filter((floor) => floor.bench === bench).map(({ rule }) => rule);
}
