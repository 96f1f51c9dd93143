import type { Experiment, Figures } from "../experiment.ts";
import { startProcess } from "../run-process.ts";
import { median, round } from "../statistics.ts";
import { PROFILES } from "./create-judge.ts";
import { growthMb, tenths } from "./growth.ts";
import type { PrepareTime, Soaked, SoakPlan } from "./soak-session.ts";

/** What is done in a window, whoever the provider is. Large windows have fewer turns and larger results: both fill. */
interface Share extends Omit<SoakPlan, "profile"> {
  /** Of each profile, a session. */
  readonly of: readonly SoakPlan["profile"][];
}

const SIZES = {
  "8K": { windowTokens: 8_000, resultCharacters: [20, 12_000], maxCalls: 2 },
  "32K": { windowTokens: 32_000, resultCharacters: [20, 60_000], maxCalls: 3 },
  "200K": { windowTokens: 200_000, resultCharacters: [500, 60_000], maxCalls: 4 },
  "1M": { windowTokens: 1_000_000, resultCharacters: [2_000, 60_000], maxCalls: 6 },
} as const;

/** In full 5,010 turns: 2,400 at 8K, 1,800 at 32K, 600 at 200K, 210 at 1M. */
const SHARES: Readonly<Record<"full" | "quick", readonly Share[]>> = {
  full: [
    { ...SIZES["8K"], of: PROFILES, heap: "measured", turns: 800 },
    { ...SIZES["32K"], of: PROFILES, heap: "measured", turns: 600 },
    { ...SIZES["200K"], of: PROFILES, heap: "not-measured", turns: 200 },
    { ...SIZES["1M"], of: PROFILES, heap: "not-measured", turns: 70 },
  ],
  quick: [
    { ...SIZES["8K"], of: ["anthropic"], heap: "measured", turns: 70 },
    { ...SIZES["32K"], of: ["openai-responses", "openai-chat"], heap: "not-measured", turns: 20 },
  ],
};
const AT_ONCE = 2;
const PROCESS = new URL("./soak-process.ts", import.meta.url);

/** Long sessions through the whole loop, with a service that fails and a model that errs. */
export const soakExperiment: Experiment = {
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
  // Whoever is free takes the next one.
  const waiting = plans.values();
  const lived: Lived[] = [];
  async function work(): Promise<void> {
    for (const plan of waiting) {
      lived.push({ plan, ...(await startProcess<Soaked>(PROCESS, [JSON.stringify(plan)])) });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return lived;
}

function toFigures(lived: readonly Lived[]): Figures {
  const sum = (of: (one: Lived) => number): number => lived.reduce((total, one) => total + of(one), 0);
  const measured = lived.filter(({ plan }) => plan.heap === "measured");
  return {
    turns: sum(({ prompts }) => prompts),
    requests: sum(({ judged }) => judged.requests),
    rejected_requests: sum(({ judged }) => judged.rejected),
    lost_messages: sum(lostMessages),
    stuck_turns: sum(({ stuckTurns }) => stuckTurns),
    heap_growth_mb_per_1000_turns: Math.max(...measured.map(({ heap }) => round(growthMb(heap)))),
    // A compaction that comes first is part of it. By the clock on the wall, and by the processor's.
    p99_prepare_ms: p99(lived.flatMap(({ prepares }) => prepares.map(({ wallMs }) => wallMs))),
    p99_prepare_cpu_ms: p99(lived.flatMap(({ prepares }) => prepares.map(({ cpuMs }) => cpuMs))),
    // Of the processor's time: the last tenth of the long sessions against the first, once they are warm.
    prepare_growth: prepareGrowth(measured),
    tool_results: sum(({ results }) => results),
    injected_faults: total(lived.map(({ judged }) => judged.faults)),
    // Valid requests that were longer than the window really is; each was recovered from.
    overflowed_requests: sum(({ judged }) => judged.overflowed),
    compactions: total(lived.map(({ compactions }) => compactions)),
    outcomes: total(lived.map(({ outcomes }) => outcomes)),
    by_session: Object.fromEntries(
      lived.map((one) => [`${one.plan.profile} ${one.plan.windowTokens}`, ofSession(one)]),
    ),
    rejections: lived.flatMap(({ judged }) => judged.rejections).slice(0, 5),
  };
}

function ofSession(one: Lived): Figures {
  const { plan, judged, prompts, prepares, heap } = one;
  return {
    turns: prompts,
    requests: judged.requests,
    rejected: judged.rejected,
    lost: lostMessages(one),
    p99_prepare_ms: p99(prepares.map(({ wallMs }) => wallMs)),
    p99_prepare_cpu_ms: p99(prepares.map(({ cpuMs }) => cpuMs)),
    ...(plan.heap === "measured" ? { heap_growth_mb_per_1000_turns: round(growthMb(heap)) } : {}),
  };
}

function lostMessages({ lost }: Soaked): number {
  return lost.prompts + lost.results + lost.unpaired;
}

function prepareGrowth(lived: readonly Lived[]): Readonly<Record<"median" | "p99", number>> {
  const ends = lived.map(({ prepares, warmFrom }) => tenths(prepares.slice(warmFrom)));
  const cpuMs = (of: (one: (typeof ends)[number]) => readonly PrepareTime[]) =>
    ends.flatMap(of).map((one) => one.cpuMs);
  const [first, last] = [cpuMs((one) => one.first), cpuMs((one) => one.last)];
  return { median: round(median(last) / median(first)), p99: round(p99(last) / p99(first)) };
}

function total(counts: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const totals: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) totals[name] = (totals[name] ?? 0) + count;
  return totals;
}

function p99(values: readonly number[]): number {
  return round(values.toSorted((one, other) => one - other)[Math.floor(0.99 * values.length)]!);
}
