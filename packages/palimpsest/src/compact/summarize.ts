import type { Forks } from "../forks/forks.ts";
import type { CacheTtl } from "../log/payload.ts";
import type { CompactionFailure, CompactionReason, CompactionTrigger } from "../log/payload-compaction.ts";
import type { Provider } from "../providers/provider.ts";
import { present } from "../schema/json-fields.ts";
import type { Settings } from "../settings/settings.ts";
import { clampMaxTokens } from "../size/budget.ts";
import { breakerAfter, CLOSED, ECONOMIC_BREAKER, mayTry, type Seen, WINDOW_BREAKER } from "../state/carried.ts";
import type { SessionCore } from "../state/core.ts";
import { type Surroundings, withTimeout } from "../state/host-content.ts";
import { windowOfModel } from "../state/limits.ts";
import { createRendering } from "../state/rendering.ts";
import type { Snapshot } from "../state/state.ts";
import { headOf } from "../text.ts";
import type { FlattenRules } from "../view/flatten.ts";
import { CONTINUE } from "../view/texts.ts";
import { offerTools } from "../view/tool-search.ts";
import type { FlatMessage, Item, MessageItem, Seal } from "../view/view.ts";
import { composeView } from "./compose.ts";
import type { ReadyView } from "./install.ts";
import { type LadderPlan, type LadderResult, runSummaryLadder } from "./ladder.ts";
import { type Spent, SummaryCalls } from "./model-calls.ts";
import type { CompactionPlan, RangeToCompact, Room } from "./plan.ts";

interface CompactionRequestParts {
  readonly session: string;
  readonly snapshot: Snapshot;
  readonly range: RangeToCompact;
  readonly rules: FlattenRules;
  /** The most that may be answered, if nothing was sent yet. */
  readonly maxOutputTokens: number;
  /** What the provider is told in place of its own words. */
  readonly instructions: string | undefined;
}

/**
 * Asks the provider to fold what is to be folded: the newest request, with what came since. Its beginning is the same, so it
 * is read from the cache; its end is not marked, because nobody will ask for it again. Undefined if it takes no such request.
 */
function compactionRequest(
  provider: Provider,
  { session, snapshot, range, rules, maxOutputTokens, instructions }: CompactionRequestParts,
): unknown | undefined {
  const { view, items, configuration, budget, sizeTokens } = snapshot;
  const { model, system, tools, parameters } = configuration;
  const folded = items.slice(0, items.findLastIndex(({ to }) => to <= range.to) + 1);
  const newest = folded.findLast((item): item is Seal => item.kind === "seal");
  const wantedTokens = newest?.maxTokens ?? maxOutputTokens;
  const maxTokens = clampMaxTokens({ windowTokens: budget.windowTokens, sizeTokens, wantedTokens });
  const seal: Seal = { kind: "seal", from: range.to, to: range.to, maxTokens };
  const rendering = createRendering(provider, rules);
  const { messages, marks, loaded } = rendering.update({ ...view, items: [...folded, seal], unchangedItems: 0 });
  const leftOut = isOnlyContinue(rendering.flat.at(-1), folded)
    ? provider.renderMessage(rendering.flat.at(-1)!).length
    : 0;
  const cacheTtl: CacheTtl = newest?.cacheTtl ?? "5m";
  const request = provider.renderRequest({
    model,
    system,
    ...offerTools(tools, loaded, rules.toolSearch ?? "native"),
    parameters,
    cacheTtl,
    ...present({ headTtl: newest?.headTtl }),
    maxTokens,
    session,
    messages: messages.slice(0, messages.length - leftOut),
    marks: marks.slice(0, -1),
  });
  return provider.renderCompaction?.(request, instructions === undefined ? {} : { instructions });
}

/** The last message is not the user's: it was put there because a request for an answer has to end with one. */
function isOnlyContinue(last: FlatMessage | undefined, items: readonly Item[]): boolean {
  const said = items.findLast((item) => item.kind === "message");
  const [block, ...more] = last?.blocks ?? [];
  return said?.role === "assistant" && more.length === 0 && block?.kind === "text" && block.text === CONTINUE;
}

interface CallOptions {
  readonly trigger: CompactionTrigger;
  readonly settings: Settings;
  readonly instructions: string | undefined;
  /** The window of the model that direct calls are made to. */
  readonly directWindowTokens: number;
}

/** Words that a model needs to say one token, at most: what it is told to keep to is a limit in words. */
const WORDS_PER_TOKEN = 0.6;
/** Of a window, what a direct call keeps for the prompt and the answer. */
const OUTPUT_SHARE = 0.2;
const PROMPT_TOKENS = 800;
/** A fork's answer must fit behind the question: a summary has less than a tenth of what it is of. */
const FORK_SHARE = 0.9;

/** What the models are asked, and which of the ways to them can be taken. */
export function planCalls(plan: CompactionPlan, room: Room, options: CallOptions): Omit<LadderPlan, "modelCalls"> {
  const { material, range, variant, snapshot } = plan;
  const { settings, instructions = "", directWindowTokens } = options;
  const said = range.folded.filter(({ origin }) => origin !== "summary");
  const texts = material.rounds.map(({ text }) => text);
  const words = `The summary may have at most ${Math.floor(room.summary * WORDS_PER_TOKEN)} words.`;
  const noFork = noForkBecause(plan, options);
  return {
    rounds: material.rounds,
    variant,
    instructions: [...pointOf(plan), words, instructions].filter((line) => line !== "").join("\n"),
    byProvider: settings["compaction.byProvider"] === "on" ? "asked" : "off",
    userInstructions: instructions,
    noFork,
    directTokens: Math.floor(directWindowTokens * (1 - OUTPUT_SHARE)) - PROMPT_TOKENS,
    maximumPasses: settings["compaction.maxPasses"],
    limits: {
      isKnownPath: knownPaths(texts),
      sourceTokens: range.folded.reduce((sum, item) => sum + snapshot.tokensOf(item), 0),
      maximumTokens: room.summary,
      countTokens: snapshot.countTokens,
    },
    said: said.map(textOf).join("\n"),
  };
}

/** The most that a direct call may answer. */
export function directOutputTokens(settings: Settings, windowTokens: number): number {
  return Math.min(settings["compaction.summaryTokens"], Math.floor(windowTokens * OUTPUT_SHARE));
}

function noForkBecause({ snapshot, variant }: CompactionPlan, options: CallOptions): string | undefined {
  const { sizeTokens, budget, configuration } = snapshot;
  const model = options.settings["compaction.model"];
  if (model !== "" && model !== configuration.model) return `another model is to write it: ${model}`;
  if (variant === "up_to") return "only the earlier part is to be summarized";
  if (options.trigger === "reactive") return "the provider has refused this prompt as too long";
  const mostTokens = Math.floor(budget.windowTokens * FORK_SHARE);
  if (sizeTokens + PROMPT_TOKENS > mostTokens) {
    return `${sizeTokens} tokens and ${PROMPT_TOKENS} of the question leave no room for an answer (above ${mostTokens})`;
  }
  return undefined;
}

/** Where the part begins that is to be summarized, by its first words. */
function pointOf({ variant, range }: CompactionPlan): string[] {
  if (variant !== "from") return [];
  const first = headOf(textOf(range.folded[0]!), 300);
  return [`The part to be summarized begins with this message:\n${first}`];
}

/** A path may be written in a shorter way than where it was first named. */
function knownPaths(texts: readonly string[]): (path: string) => boolean {
  const all = texts.join("\n");
  return (path) => all.includes(path.replace(/^\.\//, ""));
}

function textOf({ blocks }: MessageItem): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
}

interface SummaryCall {
  readonly forks: Pick<Forks, "converse">;
  readonly settings: Settings;
  /** Files that the model still sees, with the entries of their reads. */
  readonly filesRead: ReadonlyMap<string, number>;
  readonly trigger: CompactionTrigger;
  readonly reason: CompactionReason;
  /** What the summary is to pay heed to. */
  readonly instructions: string;
  readonly signal: AbortSignal;
  /** Is told how much of a summary has arrived. */
  readonly onProgress: (receivedCharacters: number) => void;
}

/** A view to be installed, or why there is none. */
export type AskedSummary =
  | { readonly kind: "ready"; readonly ready: ReadyView }
  | { readonly kind: "none"; readonly failure: CompactionFailure; readonly why: string; readonly spent: Spent }
  | { readonly kind: "aborted"; readonly spent: Spent };

/**
 * Asks models for a summary, from the cheapest way on. If none gives one, the conversation is compacted without one; but not
 * where the compaction only saves money: nothing is worth losing content then.
 */
export async function askForSummary(plan: CompactionPlan, core: SessionCore, call: SummaryCall): Promise<AskedSummary> {
  const { options, ports } = core;
  const { settings, signal } = call;
  const { carriedState, newestEntry } = plan.snapshot;
  const isEconomic = call.reason === "economic";
  const calls = summaryCalls(plan, core, call);
  const host = remembering(withTimeout(options.surroundings ?? {}, { clock: ports.clock, signal }));
  const composing = { settings, surroundings: host, filesRead: call.filesRead, cleanText: options.cleanText };
  const seen = { nowMs: ports.clock.now(), userMessages: carriedState.userMessages, viewChangedAt: newestEntry };
  const result = await askModels(plan, call, {
    calls,
    seen,
    directWindowTokens: summaryModel(plan, core, settings).windowTokens,
  });
  if (result.ended === "aborted") return { kind: "aborted", spent: calls.spent };
  const { summary } = result;
  const whole = summary && (await composeView(summary, plan, composing));
  const { spent } = calls;
  if (whole !== undefined) {
    const ready = { view: whole, rung: summary!.rung, declined: result.declined, breaker: CLOSED, spent };
    return { kind: "ready", ready };
  }
  const late = summary && { rung: summary.rung, why: "with it, the view would not be smaller by enough" };
  const declined = [...result.declined, ...(late === undefined ? [] : [late])];
  const failure = result.failure ?? (late === undefined ? "too-large" : "no-summary");
  if (isEconomic) {
    const reasons = declined.map((one) => `${one.rung}: ${one.why}`).join("; ");
    return { kind: "none", failure, why: reasons || "what stays leaves no room for a summary", spent };
  }
  const view = await composeView(undefined, plan, composing);
  if (view === undefined)
    return { kind: "none", failure: "too-large", why: "without a summary it is too large, too", spent };
  const breaker = spent.calls > 0 ? breakerAfter(carriedState.breaker, { kind: "failed", seen }) : carriedState.breaker;
  return { kind: "ready", ready: { view, rung: "digest", declined, breaker, spent, withoutSummary: failure } };
}

/** The model that writes summaries in direct calls, and its window. */
function summaryModel({ snapshot }: CompactionPlan, { ports }: SessionCore, settings: Settings) {
  const { configuration, budget } = snapshot;
  const model = settings["compaction.model"] || configuration.model;
  if (model === configuration.model) return { model, windowTokens: budget.windowTokens };
  return { model, windowTokens: windowOfModel(model, ports.facts.of(model), { settings }).tokens };
}

function summaryCalls(plan: CompactionPlan, core: SessionCore, call: SummaryCall): SummaryCalls {
  const { provider, facts, clock } = core.ports;
  const { settings, forks, signal, onProgress } = call;
  const { snapshot, range } = plan;
  const { model, windowTokens } = summaryModel(plan, core, settings);
  const maxOutputTokens = directOutputTokens(settings, windowTokens);
  const sessionModel = snapshot.configuration.model;
  const rules = {
    provider: provider.name,
    thinking: facts.of(sessionModel).thinking,
    toolSearch: provider.toolSearch?.(sessionModel) ?? "own",
  };
  return new SummaryCalls(core, {
    forks,
    signal,
    model,
    maxOutputTokens,
    compactionRequest: (instructions) =>
      compactionRequest(provider, { session: core.id, snapshot, range, rules, maxOutputTokens, instructions }),
    maxCalls: settings["compaction.maxCalls"],
    callsBefore: snapshot.carriedState.calls,
    stallMs: settings["compaction.stallSeconds"] * 1_000,
    deadlineMs: clock.now() + settings["compaction.deadlineSeconds"] * 1_000,
    onProgress,
  });
}

interface AskModels {
  readonly calls: SummaryCalls;
  readonly seen: Seen;
  readonly directWindowTokens: number;
}

async function askModels(
  plan: CompactionPlan,
  { reason, trigger, settings, instructions }: SummaryCall,
  { calls, seen, directWindowTokens }: AskModels,
): Promise<LadderResult> {
  if (plan.room === undefined) return { declined: [], ended: "done" };
  const { carriedState } = plan.snapshot;
  const [breaker, rule] =
    reason === "economic"
      ? ([carriedState.economicBreaker, ECONOMIC_BREAKER] as const)
      : ([carriedState.breaker, WINDOW_BREAKER] as const);
  // A user who compacts by hand knows about earlier failures.
  if (trigger !== "manual" && !mayTry(breaker, seen, rule)) {
    const why = `after ${breaker.failures} failures in a row no model is asked for now`;
    return { declined: [{ rung: "fork", why }], failure: "no-summary", ended: "done" };
  }
  const options = { trigger, settings, instructions, directWindowTokens };
  return runSummaryLadder({ ...planCalls(plan, plan.room, options), modelCalls: calls });
}

/** Asked once for each file, however often the view is put together. */
function remembering(surroundings: Surroundings): Surroundings {
  const { readFile } = surroundings;
  if (readFile === undefined) return surroundings;
  const known = new Map<string, Promise<string | undefined>>();
  return {
    ...surroundings,
    readFile(path) {
      const content = known.get(path) ?? readFile(path);
      known.set(path, content);
      return content;
    },
  };
}
