// Calls the functions of a builder's policy. Nothing here throws: a failure becomes a value, and a default takes the place of the result.

import { headOf } from "../text.ts";
import type {
  CompactReason,
  Cut,
  Level,
  Outline,
  Pause,
  Pauses,
  Policy,
  StoreRule,
  SummaryAsk,
  SummaryForm,
  Verdict,
  WarmRule,
} from "./policy.ts";
import { everything } from "./rules/range.ts";
import { storeBySize } from "./rules/store.ts";
import type { CacheLifetime, DecisionHistory, WindowState } from "./window-state.ts";

/** A function of a policy that threw, returned a promise, or returned something invalid. */
export interface RuleFailure {
  /** The name of a clear rule or of a part, or the slot of the policy: `compact`, `range`, `store`, `cache`, `summary`, ... */
  readonly rule: string;
  readonly where: RuleFunction;
  /** What the rule did, and what it has to do instead. */
  readonly why: string;
}

export type RuleFunction =
  | "propose"
  | "when"
  | "start"
  | "update"
  | "range"
  | "threshold"
  | "lifetime"
  | "ping"
  | "prompt"
  | "check"
  | "write"
  | "plan"
  | "render"
  | "collect";

/** A result that can be used in any case. `failure` says why it is the engine's default. */
export interface Guarded<Value> {
  readonly value: Value;
  readonly failure: RuleFailure | undefined;
}

/** After so many failures in a row, a rule is paused until the session is opened again. */
export const FAILURES_TO_PAUSE = 3;
const LEVELS: readonly Level[] = ["required", "requested", "if-it-pays", "when-full"];
/** A longer explanation of a rule is cut. */
const REASON_CHARACTERS = 400;
const NAME_CHARACTERS = 60;
/** A longer prompt for a summary counts as a failure of the form. */
const PROMPT_CHARACTERS = 100_000;
/** The smallest size from which on a result may be stored in a file. */
export const LEAST_THRESHOLD = 1_000;
/** The names of two slots in failures. */
export const RANGE_RULE = "range";
export const SUMMARY_RULE = "summary";
export const PLAIN_PROMPT = "Summarize this conversation.";

/**
 * Calls a function of a policy and checks its result.
 * @param problemOf returns what is wrong with the result; undefined if nothing is
 * @param otherwise the default that a failure is replaced by
 */
export function callRule<Value>(
  { rule, where }: Pick<RuleFailure, "rule" | "where">,
  run: () => Value,
  problemOf: (value: Value) => string | undefined,
  otherwise: () => Value,
): Guarded<Value> {
  let why: string | undefined;
  try {
    const value = run();
    why = isPromise(value) ? "it returned a promise; it has to return its result at once" : problemOf(value);
    if (why === undefined) return { value, failure: undefined };
  } catch (error) {
    why = messageOf(error);
  }
  return { value: otherwise(), failure: { rule, where, why: headOf(why, REASON_CHARACTERS) } };
}

/** Detects a promise, and ignores its rejection, which would end the process otherwise. */
export function isPromise(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("then" in value)) return false;
  Promise.resolve(value).then(undefined, () => {});
  return true;
}

function messageOf(error: unknown): string {
  try {
    return `it threw: ${error instanceof Error ? error.message : String(error)}`;
  } catch {
    return "it threw a value that has no text";
  }
}

export function isPaused({ failures }: Pick<DecisionHistory, "failures">, rule: string): boolean {
  return (Object.hasOwn(failures, rule) ? failures[rule]! : 0) >= FAILURES_TO_PAUSE;
}

/** Counts failures in a row. A rule that was called and did not fail starts again at 0; a paused rule stays paused. */
export function countFailures(
  failures: DecisionHistory["failures"],
  called: readonly string[],
  failed: readonly RuleFailure[],
): DecisionHistory["failures"] {
  const counts = new Map(Object.entries(failures));
  const failing = new Set(failed.map(({ rule }) => rule));
  for (const rule of new Set([...called, ...failing])) {
    if (isPaused({ failures }, rule)) continue;
    if (failing.has(rule)) counts.set(rule, (counts.get(rule) ?? 0) + 1);
    else counts.delete(rule);
  }
  return Object.fromEntries(counts);
}

// ------------------------------------------------------------------------------------------------ reasons

/** Calls `when`, `start` or `update`. A failure counts as no reason. */
export function reasonOf(
  name: { readonly rule: string; readonly where: "when" | "start" | "update" },
  run: () => CompactReason | undefined,
  { history }: Pick<WindowState, "history">,
): Guarded<CompactReason | undefined> {
  if (isPaused(history, name.rule)) return { value: undefined, failure: undefined };
  const { value, failure } = callRule(
    name,
    () => reasonFields(run()),
    (reason) => reason && (problemOfLevel(reason.level) ?? problemOfBecause(reason.because)),
    () => undefined,
  );
  if (value === undefined) return { value, failure };
  const { level, because, rule } = value;
  const isNamed = typeof rule === "string" && rule !== "";
  const named = isNamed ? headOf(rule, NAME_CHARACTERS) : undefined;
  return { value: { level, because: headOf(because, REASON_CHARACTERS), rule: named }, failure };
}

/** Reads each field once. A promise stays a promise. */
function reasonFields(reason: CompactReason | undefined): CompactReason | undefined {
  if (reason === undefined || isPromise(reason)) return reason;
  const { level, because, rule } = reason;
  return { level, because, rule };
}

/** Copies a result, so that later changes by the rule have no effect. A promise stays a promise. */
export function copyOf<Value>(value: Value): Value {
  return value === undefined || isPromise(value) ? value : structuredClone(value);
}

export function problemOfLevel(level: unknown): string | undefined {
  if (LEVELS.includes(level as Level)) return undefined;
  return `its level is ${shown(level)}, and has to be one of ${LEVELS.join(", ")}`;
}

export function problemOfBecause(because: unknown): string | undefined {
  return typeof because === "string" ? undefined : `its field "because" is ${shown(because)}, and has to be a text`;
}

/** A value in a message. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(headOf(value, 60));
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return String(value);
}

/** The reason to write a summary ahead of time, if the policy has such a rule. */
export function startReason({ compact }: Policy, state: WindowState): Guarded<CompactReason | undefined> {
  const name = { rule: "prepareAhead", where: "start" } as const;
  return reasonOf(name, () => compact.prepareAhead?.start(state), state);
}

/** The reason to update the notes, if the policy has notes. */
export function updateReason({ notes }: Policy, state: WindowState): Guarded<CompactReason | undefined> {
  return reasonOf({ rule: "notes", where: "update" }, () => notes?.update(state), state);
}

// ------------------------------------------------------------------------------------------------ range, store, cache

/** What to compact. At the hard limit a range that leaves everything in place counts as everything. */
export function rangeOf({ compact }: Policy, outline: Outline, state: WindowState): Guarded<Cut | undefined> {
  const all = (): Cut | undefined => everything(outline, state);
  if (isPaused(state.history, RANGE_RULE)) return { value: all(), failure: undefined };
  const [from, to] = [outline.turns[0]?.from ?? 0, outline.turns.at(-1)?.to ?? 0];
  const problem = (cut: Cut | undefined): string | undefined => {
    if (cut === undefined) return undefined;
    if (Number.isInteger(cut.to) && cut.to >= from && cut.to <= to) return undefined;
    return `it cuts after entry ${shown(cut.to)}, and the conversation has the entries ${from} to ${to}`;
  };
  const range = callRule({ rule: RANGE_RULE, where: "range" }, () => compact.range(outline, state), problem, all);
  const isFull = state.size.tokens >= state.window.hardLimitTokens;
  return range.value === undefined && isFull ? { value: all(), failure: range.failure } : range;
}

/** The number of characters from which on a result of this tool becomes a file. */
export function thresholdOf(
  store: StoreRule,
  tool: { readonly name: string; readonly bounded: boolean },
  history: Pick<DecisionHistory, "failures">,
): Guarded<number | "never"> {
  const usual = (): number | "never" => storeBySize().thresholdOf(tool);
  if (isPaused(history, "store")) return { value: usual(), failure: undefined };
  const problem = (threshold: number | "never"): string | undefined => {
    if (threshold === "never" || (typeof threshold === "number" && threshold >= LEAST_THRESHOLD)) return undefined;
    return `its threshold for ${tool.name} is ${shown(threshold)}, and has to be "never" or from ${LEAST_THRESHOLD} on`;
  };
  return callRule({ rule: "store", where: "threshold" }, () => store.thresholdOf(tool), problem, usual);
}

export interface Lifetimes {
  readonly head: CacheLifetime;
  readonly conversation: CacheLifetime;
}

/** The cache lifetimes of the next request. A head lives at least as long as the conversation, or the provider refuses the request. */
export function lifetimesOf({ cache }: Policy, state: WindowState, pauses: Pauses): Guarded<Lifetimes> {
  const shortest: Lifetimes = { head: "5m", conversation: "5m" };
  const offered = state.model.cacheLifetimes;
  if (offered.length === 0 || isPaused(state.history, "cache")) return { value: shortest, failure: undefined };
  const ask = (run: () => CacheLifetime): Guarded<CacheLifetime> => {
    const problem = (lifetime: CacheLifetime): string | undefined =>
      offered.includes(lifetime)
        ? undefined
        : `it chose ${shown(lifetime)}, and ${state.model.id} offers ${offered.join(", ")}`;
    return callRule({ rule: "cache", where: "lifetime" }, run, problem, () => "5m");
  };
  const head = ask(() => cache.head(state, pauses));
  const conversation = ask(() => cache.conversation(state, pauses));
  const value: Lifetimes = {
    head: conversation.value === "1h" ? "1h" : head.value,
    conversation: conversation.value,
  };
  return { value, failure: head.failure ?? conversation.failure };
}

/** Why a ping is not sent. A rule that fails sends none. Undefined: a ping is sent. */
export function pingObstacle(
  rule: WarmRule,
  pause: Pause,
  { failures }: Pick<DecisionHistory, "failures">,
): Guarded<string | undefined> {
  if (isPaused({ failures }, "cache")) return { value: "the cache rule is paused", failure: undefined };
  const guarded = callRule(
    { rule: "cache", where: "ping" },
    () => rule.obstacle(pause),
    (why) =>
      why === undefined || typeof why === "string"
        ? undefined
        : `it returned ${shown(why)}, and has to return a text or undefined`,
    () => "the rule for pings failed",
  );
  return { ...guarded, value: guarded.value && headOf(guarded.value, REASON_CHARACTERS) };
}

// ------------------------------------------------------------------------------------------------ summaries

/** The question of a form. */
export function promptOf(form: SummaryForm, ask: SummaryAsk): Guarded<string> {
  const problem = (prompt: string): string | undefined => {
    if (typeof prompt !== "string" || prompt.trim() === "")
      return `its prompt is ${shown(prompt)}, and has to be a text`;
    if (prompt.length <= PROMPT_CHARACTERS) return undefined;
    return `its prompt has ${prompt.length} characters, and may have ${PROMPT_CHARACTERS}`;
  };
  return callRule(
    { rule: SUMMARY_RULE, where: "prompt" },
    () => form.prompt(ask),
    problem,
    () => PLAIN_PROMPT,
  );
}

/** The verdict of a form's check. A check that fails accepts the text: a broken check must not cost a summary. */
export function verdictOf(form: SummaryForm, text: string, ask: SummaryAsk): Guarded<Verdict> {
  const name = { rule: SUMMARY_RULE, where: "check" } as const;
  return callRule(
    name,
    () => form.check(text, ask),
    problemOfVerdict,
    () => ({ kind: "ok" }),
  );
}

function problemOfVerdict(verdict: Verdict): string | undefined {
  if (typeof verdict !== "object" || verdict === null)
    return `it returned ${shown(verdict)}, and has to return a verdict`;
  if (verdict.kind === "ok") return undefined;
  if (verdict.kind === "repair" && typeof verdict.ask === "string" && verdict.ask.trim() !== "") return undefined;
  if (verdict.kind === "refuse" && typeof verdict.why === "string") return undefined;
  return `its verdict is neither { kind: "ok" } nor { kind: "repair", ask: "..." } nor { kind: "refuse", why: "..." }`;
}

// ------------------------------------------------------------------------------------------------ states

/** Freezes a state, so that a rule that writes into it throws and cannot mislead other rules. */
export function frozenState(state: WindowState): WindowState {
  freeze(state);
  return state;
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const field of Object.values(value)) freeze(field);
}
