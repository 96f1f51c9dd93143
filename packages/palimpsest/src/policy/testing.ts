// Tests a policy: states as sessions have them, and `testPolicy`, which runs a policy over all of them.

import { processorMs } from "../clock.ts";
import { checkPolicy } from "./check.ts";
import { decide } from "./decide.ts";
import {
  callRule,
  frozenState,
  lifetimesOf,
  rangeOf,
  startReason,
  thresholdOf,
  updateReason,
  verdictOf,
} from "./guard.ts";
import { needChance } from "./need-chance.ts";
import type {
  Json,
  KeepPart,
  LogMessage,
  Outline,
  Pauses,
  Policy,
  Proposal,
  SummaryAsk,
  SummaryForm,
} from "./policy.ts";
import { STUB_TOKENS } from "./rules/clear.ts";
import type { CacheSegment, ModelState, Prices, ResultSort, ResultState, WindowState } from "./window-state.ts";

/** A model for test states. */
export interface TestModel {
  readonly model: ModelState;
  readonly prices: Prices;
}

/**
 * Four kinds of models. `bound`: thinking is valid only after the exact prompt that produced it. `free`: the prompt may change before
 * the thinking. `tiered`: above 100,000 tokens of input, the whole request costs five times as much. `plain`: no thinking, no edits by
 * the provider, no known prices.
 */
export const TEST_MODELS: Readonly<Record<"bound" | "free" | "tiered" | "plain", TestModel>> = {
  bound: { model: testModel("bound", "bound"), prices: testPrices(2) },
  free: { model: testModel("free", "free"), prices: testPrices(5) },
  tiered: {
    model: testModel("tiered", "bound"),
    prices: { ...testPrices(0.1), above: { ...testPrices(0.5), inputTokens: 100_000 } },
  },
  plain: {
    model: { ...testModel("plain", "none"), contextEdits: "none", compacts: false, cacheLifetimes: [] },
    prices: { ...testPrices(1), usdPerUnit: undefined },
  },
};

function testModel(id: string, thinking: ModelState["thinking"]): ModelState {
  return {
    id,
    thinking,
    contextEdits: "results-and-thinking",
    deletesFromCache: false,
    compacts: true,
    forks: true,
    cacheLifetimes: ["5m", "1h"],
  };
}

/** The usual proportions, from the price of a million input tokens in dollars. */
function testPrices(input: number): Prices {
  const rates = { input, read: input * 0.1, write: input * 1.25, output: input * 5 };
  return { ...rates, above: undefined, usdPerUnit: 1e-6 };
}

export interface StateOptions {
  readonly tokens: number;
  /** @default `TEST_MODELS.bound` */
  readonly model?: TestModel;
  /** @default 1_000_000 */
  readonly windowTokens?: number;
  /** @default 6_000 */
  readonly headTokens?: number;
  /** @default "warm" */
  readonly cache?: "warm" | "cold" | "new";
  /** Whether pings keep the prompt in the cache. @default false */
  readonly keptWarm?: boolean;
  /** @default 120 in a cold cache, 0 otherwise */
  readonly idleMinutes?: number;
  /** @default "starting" */
  readonly turn?: "idle" | "starting" | "open";
  /** The number of tool results, evenly spread. @default 0 */
  readonly results?: number;
  /** The tokens of each result. @default 0 */
  readonly resultTokens?: number;
  /** @default "read" */
  readonly sort?: ResultSort;
  /** Fields that replace those of the state. */
  readonly more?: Partial<WindowState>;
}

const NOW_MS = 1_800_000_000_000;
const LIFETIME_MS = 300_000;

/** A state for tests of rules: a window with a conversation of this size. */
export function stateOf(options: StateOptions): WindowState {
  const { tokens, model: test = TEST_MODELS.bound, windowTokens = 1_000_000, headTokens = 6_000 } = options;
  const { cache = "warm", idleMinutes = cache === "cold" ? 120 : 0, turn = "starting", more = {} } = options;
  const { keptWarm = false } = options;
  const idleMs = idleMinutes * 60_000;
  const usableTokens = windowTokens - Math.min(20_000, windowTokens / 5);
  return {
    nowMs: NOW_MS,
    model: test.model,
    window: {
      tokens: windowTokens,
      usableTokens,
      hardLimitTokens: usableTokens - Math.min(3_000, windowTokens / 50),
      bytes: 32_000_000,
      source: "known",
    },
    size: { tokens, headTokens, bytes: Math.min(tokens * 4, 31_000_000) },
    prices: test.prices,
    cache: {
      status: cache,
      idleMs,
      segments: segmentsOf(options, test.prices, NOW_MS - idleMs + LIFETIME_MS),
      keptWarm,
    },
    turn: { status: turn, rounds: turn === "open" ? 12 : 0, pendingCalls: [], attended: true },
    results: resultsOf(options),
    history: {
      turns: 3,
      compactions: 0,
      grownTokens: tokens - headTokens,
      lastCompaction: undefined,
      breaker: "closed",
      held: undefined,
      callsLeft: 8,
      failures: {},
    },
    prepared: undefined,
    notes: undefined,
    compactsAt: undefined,
    marks: {},
    ...more,
  };
}

function segmentsOf(options: StateOptions, { write, read }: Prices, expiresAtMs: number): readonly CacheSegment[] {
  const { tokens, headTokens = 6_000, cache = "warm" } = options;
  if (cache === "new") return [];
  const segment = (name: CacheSegment["name"], endTokens: number): CacheSegment => ({
    name,
    endTokens,
    status: cache,
    expiresAtMs,
    missCost: endTokens * (write - read),
  });
  return [
    segment("head", headTokens),
    segment("conversation", Math.floor(tokens * 0.95)),
    segment("conversation", Math.floor(tokens * 0.99)),
  ];
}

function resultsOf(options: StateOptions): readonly ResultState[] {
  const { tokens, headTokens = 6_000, results = 0, resultTokens = 0, sort = "read" } = options;
  return Array.from({ length: results }, (_, index) => ({
    entry: 10 + 2 * index,
    tool: sort === "shell" ? "Bash" : "Read",
    sort,
    shown: "whole",
    clearable: true,
    askedAgain: false,
    tokens: resultTokens,
    beforeTokens: Math.floor(headTokens + (index * (tokens - headTokens)) / results),
    needChance: needChance(sort, results - 1 - index),
    path: undefined,
  }));
}

/** The state after a proposal was carried out, if its estimates were exact. */
export function stateAfter(state: WindowState, proposal: Proposal): WindowState {
  const { action, freesTokens, keepsPrefixTokens } = proposal;
  const tokens = Math.max(state.size.headTokens, state.size.tokens - freesTokens);
  const size = { ...state.size, tokens, bytes: Math.floor((state.size.bytes * tokens) / state.size.tokens) };
  const segments = state.cache.segments.filter(({ endTokens }) => endTokens <= keepsPrefixTokens);
  const after = { ...state, size, cache: { ...state.cache, segments } };
  const history = { ...state.history, grownTokens: 0 };
  if (action.kind !== "compact") return { ...after, results: clearedResults(state, action), history };
  const lastCompaction = { entry: 1_000, turnsAgo: 0, keptTokens: tokens - size.headTokens, undone: false };
  const compactions = history.compactions + 1;
  return { ...after, results: [], prepared: undefined, history: { ...history, compactions, lastCompaction } };
}

function clearedResults(
  { results }: WindowState,
  action: Exclude<Proposal["action"], { readonly kind: "compact" }>,
): readonly ResultState[] {
  const whole = results.filter(({ clearable, shown }) => clearable && shown === "whole");
  const entries =
    action.kind === "ask-provider"
      ? whole.slice(0, Math.max(0, whole.length - action.edits.keepNewest)).map(({ entry }) => entry)
      : action.entries;
  const cleared = new Set(entries);
  let freedTokens = 0;
  return results.map((result) => {
    const beforeTokens = Math.max(0, result.beforeTokens - freedTokens);
    if (!cleared.has(result.entry)) return { ...result, beforeTokens };
    freedTokens += Math.max(0, result.tokens - STUB_TOKENS);
    return { ...result, beforeTokens, shown: "cleared", tokens: STUB_TOKENS } as const;
  });
}

const SHAPES = [
  { results: 0, resultTokens: 0, sort: "read", keptWarm: false },
  { results: 4, resultTokens: 900, sort: "read", keptWarm: true },
  { results: 60, resultTokens: 1_200, sort: "read", keptWarm: false },
  { results: 20, resultTokens: 30, sort: "shell", keptWarm: true },
] as const;

/** 3,456 frozen states: models, windows, sizes, caches, turns and results in all combinations. */
export function* gridOfStates(): Generator<WindowState> {
  for (const model of Object.values(TEST_MODELS))
    for (const windowTokens of [8_000, 200_000, 1_000_000, 10_000_000])
      for (const share of [0.02, 0.3, 0.6, 0.86, 0.99, 1.2])
        for (const cache of ["new", "warm", "cold"] as const)
          for (const turn of ["idle", "starting", "open"] as const)
            for (const { results, resultTokens, sort, keptWarm } of SHAPES) {
              const tokens = Math.floor(windowTokens * share);
              const headTokens = Math.min(6_000, Math.floor(tokens / 4));
              const most = resultTokens === 0 ? 0 : Math.floor((tokens - headTokens) / resultTokens);
              const shape = { results: Math.min(results, most), resultTokens, sort, keptWarm };
              yield frozenState(stateOf({ model, windowTokens, tokens, headTokens, cache, turn, ...shape }));
            }
}

// ------------------------------------------------------------------------------------------------ testPolicy

export interface TestPolicyOptions {
  /** The mean processor time that a decision may take. @default 2 */
  readonly maxMs?: number;
  /** @default `gridOfStates()` */
  readonly states?: Iterable<WindowState>;
}

/** 3 MB of text as an attacker would write it, for patterns that backtrack. */
const HOSTILE_TEXTS: readonly string[] = [
  "a".repeat(1_000_000),
  "ORD-".repeat(200_000),
  "((((".repeat(50_000),
  "https://".repeat(50_000),
  "\n".repeat(300_000),
  "\u{1F642}\u0000".repeat(60_000),
  "1".repeat(300_000),
];
const MAX_HOSTILE_MS = 1_000;

/**
 * Runs a policy over many states and over hostile texts. Returns what breaks the rules of the interface, in words: functions that
 * throw, return promises or invalid values, write into a state, answer the same question differently, or are slow. Empty if the
 * policy is sound.
 */
export function testPolicy(
  policy: Policy,
  { maxMs = 2, states = gridOfStates() }: TestPolicyOptions = {},
): readonly string[] {
  const wrong = checkPolicy(policy);
  if (wrong.length > 0) return wrong;
  const problems = new Set<string>();
  let [spentMs, decisions] = [0, 0];
  for (const state of states) {
    const startMs = processorMs();
    const [one, other] = [decide(policy, state), decide(policy, state)];
    spentMs += processorMs() - startMs;
    decisions += 2;
    if (JSON.stringify(one) !== JSON.stringify(other))
      problems.add("the same state gives two decisions: a rule is not pure");
    for (const { rule, where, why } of one.failed) problems.add(`${rule}, ${where}: ${why}`);
    const { size, window } = state;
    if (one.kind === "nothing" && size.tokens >= window.hardLimitTokens) problems.add("a full window is left as it is");
    for (const problem of problemsOfSlots(policy, state)) problems.add(problem);
  }
  const meanMs = spentMs / decisions;
  if (meanMs > maxMs) problems.add(`a decision takes ${meanMs.toFixed(2)} ms on average, and may take ${maxMs} ms`);
  for (const part of policy.compact.keep) for (const problem of problemsOfCollector(part)) problems.add(problem);
  const form = formOf(policy);
  if (form !== undefined) for (const problem of problemsOfCheck(form)) problems.add(problem);
  return [...problems];
}

const OUTLINE: Outline = {
  turns: [
    { from: 1, to: 9, tokens: 4_000, messages: 1, status: "closed", origin: "summary" },
    { from: 10, to: 30, tokens: 30_000, messages: 4, status: "closed", origin: "conversation" },
    { from: 31, to: 60, tokens: 30_000, messages: 6, status: "open", origin: "conversation" },
  ],
};
const PAUSES: Pauses = { middle: 2, long: 1 };

/** Problems of the functions that a decision does not call. */
function problemsOfSlots(policy: Policy, state: WindowState): readonly string[] {
  const ask = () => [
    rangeOf(policy, OUTLINE, state),
    thresholdOf(policy.store, { name: "Bash", bounded: false }, state.history),
    lifetimesOf(policy, state, PAUSES),
    startReason(policy, state),
    updateReason(policy, state),
  ];
  const [one, other] = [ask(), ask()];
  const problems = one
    .flatMap(({ failure }) => failure ?? [])
    .map(({ rule, where, why }) => `${rule}, ${where}: ${why}`);
  const isPure = JSON.stringify(one) === JSON.stringify(other);
  return isPure ? problems : [...problems, "the same state gives two answers: a rule is not pure"];
}

function problemsOfCollector({ name, collect }: KeepPart): readonly string[] {
  if (collect === undefined) return [];
  const problems: string[] = [];
  const startMs = processorMs();
  let state: Json = collect.empty;
  for (const [index, text] of HOSTILE_TEXTS.entries()) {
    const message: LogMessage = {
      entry: index + 1,
      provenance: { kind: "outside" },
      text,
      tokens: text.length / 4,
      tool: undefined,
      media: [],
    };
    const before = state;
    const add = (): Json => collect.add(before, message);
    const { value, failure } = callRule({ rule: name, where: "collect" }, add, problemOfSize, () => before);
    state = value;
    if (failure !== undefined) problems.push(`part ${name}, collect: ${failure.why}`);
    else if (JSON.stringify(add()) !== JSON.stringify(value)) problems.push(`part ${name}, collect: it is not pure`);
  }
  const spentMs = (processorMs() - startMs) / 2;
  if (spentMs > MAX_HOSTILE_MS) problems.push(slow(`part ${name}, collect`, spentMs));
  return problems;

  function problemOfSize(collected: Json): string | undefined {
    const bytes = new TextEncoder().encode(JSON.stringify(collected) ?? "").length;
    return bytes <= collect!.maxBytes ? undefined : `it collected ${bytes} bytes, and maxBytes is ${collect!.maxBytes}`;
  }
}

function problemsOfCheck(form: SummaryForm): readonly string[] {
  const problems: string[] = [];
  const ask: SummaryAsk = { part: "all", instructions: "", sourceTokens: 100_000, isKnown: () => false };
  const startMs = processorMs();
  for (const text of HOSTILE_TEXTS) {
    const { failure } = verdictOf(form, text, ask);
    if (failure !== undefined) problems.push(`summary, check: ${failure.why}`);
  }
  const spentMs = processorMs() - startMs;
  return spentMs > MAX_HOSTILE_MS ? [...problems, slow("summary, check", spentMs)] : problems;
}

function slow(what: string, spentMs: number): string {
  return `${what}: it takes ${Math.round(spentMs)} ms for 3 MB of hostile text, and may take ${MAX_HOSTILE_MS} ms`;
}

function formOf({ compact: { summary } }: Policy): SummaryForm | undefined {
  if (typeof summary === "function" || summary.kind === "none") return undefined;
  return summary.kind === "form" ? summary : summary.otherwise;
}
