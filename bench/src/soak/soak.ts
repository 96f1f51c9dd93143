import type { Bench, Figures } from "../bench.ts";
import { startProcess } from "../run-process.ts";
import { round } from "../statistics.ts";
import { PROFILES } from "./simulation.ts";
import type { HeapSample, Soaked, SoakPlan } from "./soak-session.ts";

/** What is done in a window, whoever the provider is. Large windows have fewer turns and larger results: both fill. */
interface Share extends Omit<SoakPlan, "profile"> {
  /** Of each profile, a session. */
  readonly of: readonly SoakPlan["profile"][];
}

const SIZES = {
  "8K": { windowTokens: 8_000, resultCharacters: [20, 12_000], mostCalls: 2 },
  "32K": { windowTokens: 32_000, resultCharacters: [20, 60_000], mostCalls: 3 },
  "200K": { windowTokens: 200_000, resultCharacters: [500, 60_000], mostCalls: 4 },
  "1M": { windowTokens: 1_000_000, resultCharacters: [2_000, 60_000], mostCalls: 6 },
} as const;

/** Their heaps are the session's: the simulated Responses API remembers every item it ever produced, in the same heap. */
const MEASURED: readonly SoakPlan["profile"][] = ["anthropic", "openai-chat"];

/** In full 5,000 turns: 2,550 at 8K, 1,790 at 32K, 450 at 200K, 210 at 1M. */
const SHARES: Readonly<Record<"full" | "quick", readonly Share[]>> = {
  full: [
    { ...SIZES["8K"], of: MEASURED, store: "sqlite", turns: 800 },
    { ...SIZES["32K"], of: MEASURED, store: "sqlite", turns: 600 },
    { ...SIZES["8K"], of: ["openai-responses"], store: "sqlite", turns: 200 },
    { ...SIZES["32K"], of: ["openai-responses"], store: "sqlite", turns: 200 },
    { ...SIZES["8K"], of: PROFILES, store: "memory", turns: 250 },
    { ...SIZES["32K"], of: PROFILES, store: "memory", turns: 130 },
    { ...SIZES["200K"], of: PROFILES, store: "memory", turns: 150 },
    { ...SIZES["1M"], of: PROFILES, store: "memory", turns: 70 },
  ],
  quick: [
    { ...SIZES["8K"], of: ["anthropic"], store: "sqlite", turns: 100 },
    { ...SIZES["32K"], of: ["openai-responses", "openai-chat"], store: "memory", turns: 20 },
  ],
};
const AT_ONCE = 2;
const PROCESS = new URL("./soak-process.ts", import.meta.url);

/** Long sessions through the whole loop, with a service that fails and a model that errs. */
export const soakBench: Bench = {
  name: "soak",
  about: "5,000 turns over windows of 8K to 1M with 5% faults: rejected requests, lost messages, growth of the heap",
  async run({ size }) {
    const plans = SHARES[size].flatMap(({ of, ...share }) => of.map((profile): SoakPlan => ({ ...share, profile })));
    return toFigures(await runAll(plans));
  },
};

interface Lived extends Soaked {
  readonly plan: SoakPlan;
}

async function runAll(plans: readonly SoakPlan[]): Promise<readonly Lived[]> {
  const waiting = [...plans];
  const lived: Lived[] = [];
  async function work(): Promise<void> {
    for (let plan = waiting.shift(); plan !== undefined; plan = waiting.shift()) {
      lived.push({ plan, ...(await startProcess<Soaked>(PROCESS, [JSON.stringify(plan)])) });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return lived;
}

function toFigures(lived: readonly Lived[]): Figures {
  const sum = (of: (one: Lived) => number): number => lived.reduce((total, one) => total + of(one), 0);
  const prepareMs = (of: (plan: SoakPlan) => boolean): number =>
    p99(lived.filter(({ plan }) => of(plan)).flatMap((one) => one.prepareMs));
  const windows = [...new Set(lived.map(({ plan }) => plan.windowTokens))].toSorted((one, other) => one - other);
  const growths = lived
    .filter(({ plan, heap }) => heap.length > 0 && MEASURED.includes(plan.profile))
    .map(({ plan, heap }) => [`${plan.profile} ${plan.windowTokens}`, round(growthMb(heap))] as const);
  return {
    turns: sum(({ prompts }) => prompts),
    requests: sum(({ judged }) => judged.requests),
    rejected_requests: sum(({ judged }) => judged.rejected),
    lost_messages: sum(({ lost }) => lost.prompts + lost.results + lost.unpaired),
    stuck_turns: sum(({ stuckTurns }) => stuckTurns),
    heap_growth_mb_per_1000_turns: Math.max(...growths.map(([, growth]) => growth)),
    p99_prepare_ms: prepareMs(() => true),
    tool_results: sum(({ results }) => results),
    injected_faults: total(lived.map(({ faults }) => faults)),
    // Valid requests that were longer than the window really is; each was recovered from.
    overflowed_requests: sum(({ judged }) => judged.overflowed),
    compactions: total(lived.map(({ compactions }) => compactions)),
    outcomes: total(lived.map(({ outcomes }) => outcomes)),
    heap_growth_by_session: Object.fromEntries(growths),
    p99_prepare_by_window_ms: Object.fromEntries(
      windows.map((window) => [window, prepareMs(({ windowTokens }) => windowTokens === window)]),
    ),
    rejections: lived.flatMap(({ judged }) => judged.rejections).slice(0, 5),
  };
}

function total(counts: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const totals: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) totals[name] = (totals[name] ?? 0) + count;
  return totals;
}

function p99(values: readonly number[]): number {
  return round(values.toSorted((one, other) => one - other)[Math.floor(0.99 * values.length)]!);
}

/** The slope of the line through the samples, for 1,000 turns. */
function growthMb(samples: readonly HeapSample[]): number {
  const mean = (of: (sample: HeapSample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const turn = mean((sample) => sample.turn);
  const usedMb = mean((sample) => sample.usedMb);
  const slope =
    mean((sample) => (sample.turn - turn) * (sample.usedMb - usedMb)) / mean((sample) => (sample.turn - turn) ** 2);
  return 1_000 * slope;
}
