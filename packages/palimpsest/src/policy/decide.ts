// The one decision about a window: collects proposals, prices them alike, and takes the best one or nothing.

import type { EarlierDecision } from "../log/payload-compaction.ts";
import { grouped, headOf } from "../text.ts";
import { callRule, copyOf, isPaused, type RuleFailure, reasonOf } from "./guard.ts";
import type { CompactReason, Policy, Proposal, WeighNumbers } from "./policy.ts";
import { knownFields, problemOfProposal } from "./proposal.ts";
import type { CompactionSizes, DecisionHistory, TokenPrices, WindowState } from "./window-state.ts";

/** A proposal with its price, in units of `state.prices`. Every figure is compared with doing nothing. */
export interface Weighed {
  readonly rule: string;
  readonly proposal: Proposal;
  /** The model call, and the higher price of the next request. */
  readonly costNow: number;
  /** What the model fetches again. */
  readonly costLater: number;
  /** The lower price of the next request. */
  readonly savesNow: number;
  /** The lower price of the other requests of the horizon. */
  readonly savesLater: number;
  readonly net: number;
  readonly afterTokens: number;
  /** Why the proposal is taken only if the window needs it. Undefined: it may be taken. */
  readonly barred: string | undefined;
}

export type Decision = Take | DoNothing;

export interface Take extends Considered {
  readonly kind: "take";
  readonly taken: Weighed;
}

export interface DoNothing extends Considered {
  readonly kind: "nothing";
}

interface Considered {
  /** The decision in words and figures. */
  readonly because: string;
  /** Every valid proposal. */
  readonly weighed: readonly Weighed[];
  readonly failed: readonly RuleFailure[];
  /** The rules that were not called, because they failed too often. */
  readonly paused: readonly string[];
}

/** The explanation of an earlier decision is cut at this length. */
const EARLIER_CHARACTERS = 400;
/** The name of the compaction rule in failures, and in proposals if the rule has no name of its own. */
export const COMPACT_RULE = "compact";
/** The name of the engine's own proposal at the hard limit. */
export const ENGINE_RULE = "engine:hard-limit";

/**
 * Decides before a request. After you carry out a decision, ask again with the new state. Pass a frozen state (`frozenState`), so
 * that rules cannot change it.
 * @param compaction `off`: the user does not want automatic compactions, not even at the hard limit
 */
export function decide(policy: Policy, state: WindowState, compaction: "allowed" | "off" = "allowed"): Decision {
  const { proposals, failed, paused } = collect(policy, state, compaction);
  const weighed = proposals.map(({ rule, proposal }) => price(rule, proposal, state, policy));
  const considered = { weighed, failed, paused };
  const possible = weighed.filter(
    ({ proposal }) => proposal.freesTokens > 0 && !isTooSmall(proposal, state, policy.compact.minShrinkShare),
  );

  const limitTokens = limitToMeet(possible, state);
  if (limitTokens !== undefined) {
    const enoughTokens = limitTokens * (1 - policy.weigh.freeShare);
    const enough = possible.filter(({ afterTokens }) => afterTokens <= enoughTokens);
    // The price of a compaction without a summary does not include the lost content.
    const sparing = enough.filter(({ proposal }) => !losesContent(proposal));
    const fitting = best(sparing, policy.weigh, state) ?? best(enough, policy.weigh, state);
    const taken = fitting ?? largest(possible);
    if (taken === undefined) return { kind: "nothing", because: sayNothingFits(weighed), ...considered };
    const verdict = fitting === undefined ? "frees the most" : "makes room";
    return { kind: "take", taken, because: say(taken, verdict, state, policy.weigh), ...considered };
  }

  for (const [level, verdict] of [
    ["requested", "is requested"],
    ["if-it-pays", "pays"],
  ] as const) {
    const open = weighed.filter(({ proposal, barred }) => proposal.level === level && barred === undefined);
    const taken = best(open, policy.weigh, state);
    if (taken !== undefined)
      return { kind: "take", taken, because: say(taken, verdict, state, policy.weigh), ...considered };
  }
  return { kind: "nothing", because: weighed.map(sayBarred).join("; ") || "no rule makes a proposal", ...considered };
}

// ------------------------------------------------------------------------------------------------ proposals

interface Collected {
  readonly proposals: readonly { readonly rule: string; readonly proposal: Proposal }[];
  readonly failed: readonly RuleFailure[];
  readonly paused: readonly string[];
}

function collect(policy: Policy, state: WindowState, compaction: "allowed" | "off"): Collected {
  const proposals: { rule: string; proposal: Proposal }[] = [];
  const failed: RuleFailure[] = [];
  const rules = [...policy.clear.map(({ name }) => name), ...(compaction === "off" ? [] : [COMPACT_RULE])];
  const paused = rules.filter((name) => isPaused(state.history, name));

  for (const rule of policy.clear) {
    if (paused.includes(rule.name)) continue;
    const { value, failure } = callRule(
      { rule: rule.name, where: "propose" },
      () => copyOf(rule.propose(state)),
      (proposal) => (proposal === undefined ? undefined : problemOfProposal(proposal, state)),
      () => undefined,
    );
    if (value !== undefined) proposals.push({ rule: rule.name, proposal: knownFields(value) });
    if (failure !== undefined) failed.push(failure);
  }
  if (compaction === "off") return { proposals, failed, paused };

  const { value: reason, failure } = reasonOf(
    { rule: COMPACT_RULE, where: "when" },
    () => policy.compact.when(state),
    state,
  );
  if (failure !== undefined) failed.push(failure);
  const due = reason ?? overdueReason(state);
  if (due !== undefined)
    proposals.push({ rule: due.rule ?? COMPACT_RULE, proposal: compactProposal(policy, state, due) });
  else if (isFull(state)) {
    // The engine's own proposal needs no rule, so a window that is full is compacted under any policy.
    proposals.push({
      rule: ENGINE_RULE,
      proposal: compactProposal(policy, state, { level: "required", because: sayFull(state) }),
    });
  }
  return { proposals, failed, paused };
}

/** A compaction was due, and nobody waited for its summary. Now it is written, and paid for. */
function overdueReason(state: WindowState): CompactReason | undefined {
  const { prepared } = state;
  if (prepared?.installs !== "at-once" || isFull(state)) return undefined;
  return {
    level: "requested",
    because: `the summary of a compaction that was due is ready, at entry ${prepared.entry}`,
  };
}

/** Presents a compaction as a proposal. Until the session has had a compaction, the policy's estimates apply. */
export function compactProposal(policy: Policy, state: WindowState, { level, because }: CompactReason): Proposal {
  const { size } = state;
  const { expect, minShrinkShare } = policy.compact;
  const { by, keptTokens } = wayToCompact(policy, state);
  // A full window is compacted even if the last compaction kept more than the window now holds, as after a change to a smaller model. A
  // compaction that shrinks the window by less than the policy's share is not installed.
  const mostTokens = isFull(state) ? Math.floor(size.tokens * (1 - minShrinkShare)) : size.tokens;
  const afterTokens = Math.min(Math.max(size.headTokens, mostTokens), size.headTokens + keptTokens);
  const freesTokens = size.tokens - afterTokens;
  const isLossy = by === "none" && !wantsNoSummary(policy);
  return {
    action: { kind: "compact", by },
    level,
    because,
    freesTokens,
    keepsPrefixTokens: Math.min(size.headTokens, size.tokens),
    call: by === "summary" ? { inputTokens: size.tokens, outputTokens: expect.outputTokens } : undefined,
    // Without a summary, the model looks up a third of the lost content again.
    comesBack: isLossy ? { tokens: Math.ceil(freesTokens / 3), requests: 10 } : expect.comesBack,
    extraUsd: undefined,
    undo: "exact",
  };
}

interface CompactWay {
  readonly by: "prepared" | "notes" | "summary" | "none";
  /** Tokens after the compaction, without the head. */
  readonly keptTokens: number;
}

/** The first summary method that is available: prepared, notes, a model, none. */
function wayToCompact(policy: Policy, state: WindowState): CompactWay {
  const { size, prepared, history } = state;
  const { expect, minShrinkShare } = policy.compact;
  // In a small window, less is kept than the policy expects.
  const keptTokens = history.lastCompaction?.keptTokens ?? Math.min(expect.keptTokens, Math.floor(size.tokens * 0.4));
  if (wantsNoSummary(policy)) return { by: "none", keptTokens };
  if (prepared !== undefined) return { by: "prepared", keptTokens: keptTokens + prepared.tailTokens };
  const withNotes = keptWithNotes(policy, state);
  const conversationTokens = size.tokens - size.headTokens;
  if (withNotes !== undefined && conversationTokens - withNotes >= minShrinkShare * size.tokens)
    return { by: "notes", keptTokens: withNotes };
  return { by: history.breaker === "open" || history.callsLeft === 0 ? "none" : "summary", keptTokens };
}

function wantsNoSummary({ compact: { summary } }: Policy): boolean {
  return typeof summary === "object" && summary.kind === "none";
}

/** A compaction with notes keeps the newest messages, and all messages that the notes do not cover. */
function keptWithNotes({ notes: rule }: Policy, { notes, history }: WindowState): number | undefined {
  if (rule === undefined || notes === undefined || notes.tokens === 0) return undefined;
  // Notes from before the last compaction cover nothing that is still in view.
  if (notes.coveredTo <= (history.lastCompaction?.entry ?? 0)) return undefined;
  return notes.tokens + Math.max(notes.uncoveredTokens, rule.keep.tokens);
}

// ------------------------------------------------------------------------------------------------ prices

/** Compares the next requests with and without a proposal. */
export function price(
  rule: string,
  proposal: Proposal,
  state: WindowState,
  policy: Pick<Policy, "weigh" | "compact">,
): Weighed {
  const { size, prices } = state;
  const { keepsPrefixTokens, call, comesBack, extraUsd } = proposal;
  const { horizonRequests } = policy.weigh;
  const before = size.tokens;
  // Sizes of single results are estimates, so their sum may be larger than the conversation.
  const freesTokens = Math.min(proposal.freesTokens, Math.max(0, before - size.headTokens));
  const afterTokens = before - freesTokens;
  const [now, then] = [ratesAt(prices, before), ratesAt(prices, afterTokens)];
  const cachedBefore = cachedUpTo(state, before);
  const cachedAfter = Math.min(afterTokens, cachedUpTo(state, keepsPrefixTokens));

  const nextBefore = cachedBefore * now.read + (before - cachedBefore) * now.write;
  const nextAfter = cachedAfter * then.read + (afterTokens - cachedAfter) * then.write;
  const costNow = callPrice(call, cachedBefore, now) + unitsOf(extraUsd, state) + Math.max(0, nextAfter - nextBefore);
  const savesNow = Math.max(0, nextBefore - nextAfter);
  const back = comesBack ?? { tokens: 0, requests: 0 };
  const costLater = back.tokens * then.write + back.requests * afterTokens * then.read;
  const laterTokens = Math.min(before, afterTokens + back.tokens);
  const savesLater = (before * now.read - laterTokens * then.read) * Math.max(0, horizonRequests - 1);
  const net = savesNow + savesLater - costNow - costLater;
  const moved = cachedAfter < Math.min(cachedBefore, afterTokens);
  const barred = freesTokens === 0 ? "it frees nothing" : barredBy(proposal, { net, nextBefore, moved }, state, policy);
  return { rule, proposal, costNow, costLater, savesNow, savesLater, net, afterTokens, barred };
}

/** A call reads the warm part of the prompt, pays the input price for the rest, and writes nothing to the cache. */
function callPrice(call: Proposal["call"], cachedTokens: number, { read, input, output }: TokenPrices): number {
  if (call === undefined) return 0;
  const readTokens = Math.min(cachedTokens, call.inputTokens);
  return readTokens * read + (call.inputTokens - readTokens) * input + call.outputTokens * output;
}

function unitsOf(usd: number | undefined, { prices: { usdPerUnit } }: WindowState): number {
  return usd === undefined || usdPerUnit === undefined || usdPerUnit === 0 ? 0 : usd / usdPerUnit;
}

/** The prices of a request of this size. */
export function ratesAt(prices: WindowState["prices"], inputTokens: number): TokenPrices {
  return prices.above !== undefined && inputTokens > prices.above.inputTokens ? prices.above : prices;
}

/** The longest warm prefix that ends here or earlier. A provider finds a prefix only at its end. */
export function cachedUpTo({ cache }: Pick<WindowState, "cache">, tokens: number): number {
  let longest = 0;
  for (const { status, endTokens } of cache.segments)
    if (status === "warm" && endTokens <= tokens && endTokens > longest) longest = endTokens;
  return longest;
}

interface Figures {
  readonly net: number;
  /** The price of the next request without the proposal. */
  readonly nextBefore: number;
  /** Whether the proposal changes a warm prefix. */
  readonly moved: boolean;
}

function barredBy(
  proposal: Proposal,
  { net, nextBefore, moved }: Figures,
  state: WindowState,
  { weigh, compact }: Pick<Policy, "weigh" | "compact">,
): string | undefined {
  const { size, history, cache } = state;
  // Applies to all levels. A threshold below the size that a compaction keeps would compact before every request otherwise.
  if (isTooSmall(proposal, state, compact.minShrinkShare))
    return `it would shrink the window by less than ${Math.round(100 * compact.minShrinkShare)}%`;
  if (proposal.level === "when-full") return "only if the window is full";
  if (proposal.level !== "if-it-pays") return undefined;
  const regrownTokens = Math.round(weigh.regrowShare * (size.tokens - size.headTokens));
  if (moved && history.grownTokens < regrownTokens)
    return `the window has grown by ${grouped(Math.round(history.grownTokens))} tokens since a cached prompt was last changed, and has to grow by ${grouped(regrownTokens)}`;
  const held = proposal.action.kind === "compact" ? compactionHeldBy(proposal, history) : undefined;
  if (held !== undefined) return held;
  if (!(net > weigh.marginShare * nextBefore))
    return `it does not pay: it ${netInWords(net, state)} over ${weigh.horizonRequests} requests`;
  return cache.status === "new" ? "nothing has been sent yet" : undefined;
}

/** Why a compaction that may wait has to wait. */
export const HELD: Readonly<Record<NonNullable<DecisionHistory["held"]>, string>> = {
  opened: "the session was opened again, and the user has not sent a message since the compaction was announced",
  restored: "the user undid a compaction, and only a full window triggers another one",
  failed: "the last compaction failed, and another one has to wait",
};

function compactionHeldBy({ action }: Proposal, { held, lastCompaction }: DecisionHistory): string | undefined {
  if (held !== undefined) return HELD[held];
  if (lastCompaction?.undone === true) return "the last compaction was undone";
  if (action.kind === "compact" && action.by === "none")
    return "there would be no summary, and saving money must not cost content";
  return undefined;
}

// ------------------------------------------------------------------------------------------------ the choice

/** Whether the next request would not fit. */
export function isFull({ size, window }: Pick<WindowState, "size" | "window">): boolean {
  return size.tokens >= window.hardLimitTokens || (window.bytes !== undefined && size.bytes >= window.bytes);
}

/** The size that the window has to get below. Undefined if the next request fits and no rule requires anything. */
function limitToMeet(possible: readonly Weighed[], state: WindowState): number | undefined {
  const { size, window } = state;
  if (size.tokens >= window.hardLimitTokens) return window.hardLimitTokens;
  if (window.bytes !== undefined && size.bytes >= window.bytes)
    return Math.floor((size.tokens * window.bytes) / size.bytes);
  // A rule that requires an action has its own limit. The engine does not know this limit, only that the window has reached it, so the
  // action has to make the window smaller than it is now.
  return possible.some(({ proposal }) => proposal.level === "required") ? size.tokens : undefined;
}

/** The best by price. Of those that are nearly as good, the mildest; of those, the first in the policy. */
function best(
  candidates: readonly Weighed[],
  { tieShare }: WeighNumbers,
  { prices, size }: WindowState,
): Weighed | undefined {
  const top = Math.max(...candidates.map(({ net }) => net));
  // At least a share of the next request's price, so that two proposals with a net near 0 count as equal.
  const tie = tieShare * Math.max(Math.abs(top), ratesAt(prices, size.tokens).read * size.tokens);
  const tied = candidates.filter(({ net }) => net >= top - tie);
  return tied.toSorted((one, other) => severityOf(one.proposal) - severityOf(other.proposal))[0];
}

/** Does not apply to a full window, where every token counts. */
function isTooSmall({ action, freesTokens }: Proposal, state: WindowState, minShrinkShare: number): boolean {
  return action.kind === "compact" && !isFull(state) && freesTokens < minShrinkShare * state.size.tokens;
}

function losesContent({ action }: Proposal): boolean {
  return action.kind === "compact" && action.by === "none";
}

function largest(candidates: readonly Weighed[]): Weighed | undefined {
  return candidates.toSorted((one, other) => one.afterTokens - other.afterTokens)[0];
}

const COMPACT_SEVERITY = { prepared: 3, notes: 4, summary: 5, none: 6 } as const;

/** From mild to severe: a cleared result can be recalled; a compaction without a summary keeps least. */
function severityOf({ action }: Proposal): number {
  switch (action.kind) {
    case "clear":
      return action.thinking === "stays" ? 0 : 1;
    case "delete-cached":
      return 1;
    case "ask-provider":
      return 2;
    case "compact":
      return COMPACT_SEVERITY[action.by];
  }
}

// ------------------------------------------------------------------------------------------------ sizes

/**
 * The smallest sizes at which the policy compacts a warm conversation, for status lines and for rules that act before a compaction.
 * At the latest, the engine compacts at the hard limit. Temporary obstacles do not count, such as a failed compaction.
 */
export function compactionSizes(policy: Policy, state: WindowState): CompactionSizes {
  const inTurnTokens = compactsAt(policy, state, "open");
  return { betweenTurnsTokens: compactsAt(policy, state, "starting"), inTurnTokens };
}

/**
 * The smallest size at which the policy compacts, at the start of a turn or inside a turn. Found by bisection.
 * @param least `required`: compactions that only save money, or that the policy requests, do not count
 */
export function compactsAt(
  policy: Policy,
  state: WindowState,
  turn: "starting" | "open",
  least: "any" | "required" = "any",
): number {
  const compacts = (tokens: number): boolean => {
    const then = stateAt(state, tokens, turn);
    const { value: reason } = reasonOf({ rule: COMPACT_RULE, where: "when" }, () => policy.compact.when(then), then);
    if (reason === undefined || reason.level === "when-full") return false;
    if (least === "required" && reason.level !== "required") return false;
    return price(COMPACT_RULE, compactProposal(policy, then, reason), then, policy).barred === undefined;
  };
  let [tooSmall, atTokens] = [
    Math.min(state.size.headTokens, state.window.hardLimitTokens),
    state.window.hardLimitTokens,
  ];
  if (!compacts(atTokens - 1)) return atTokens;
  while (atTokens - tooSmall > 1) {
    const middle = Math.floor((tooSmall + atTokens) / 2);
    if (compacts(middle)) atTokens = middle;
    else tooSmall = middle;
  }
  return atTokens;
}

/** Describes a decision that changed nothing, for the record of the next decision. */
export function earlierDecision(
  policy: Policy,
  state: WindowState,
  because: string,
  compaction: "allowed" | "off",
): EarlierDecision {
  const turn = state.turn.status === "open" ? "open" : "starting";
  return {
    atMs: state.nowMs,
    tokens: state.size.tokens,
    compactsAtTokens: compaction === "off" ? undefined : compactsAt(policy, state, turn),
    because: headOf(because, EARLIER_CHARACTERS),
  };
}

/** The session when it has grown to this size: warm, without results, and without anything that only holds for now. */
function stateAt(state: WindowState, tokens: number, turn: "starting" | "open"): WindowState {
  const { size, window, cache, history, nowMs } = state;
  const segment = (name: "head" | "conversation", endTokens: number) =>
    ({ name, endTokens, status: "warm", expiresAtMs: nowMs + 300_000, missCost: 0 }) as const;
  const segments = [segment("head", size.headTokens), segment("conversation", tokens)];
  return {
    ...state,
    size: { ...size, tokens },
    window: { ...window, bytes: undefined },
    cache: { ...cache, status: "warm", idleMs: 0, segments },
    turn: { ...state.turn, status: turn },
    results: [],
    history: {
      ...history,
      grownTokens: tokens,
      breaker: "closed",
      held: undefined,
      callsLeft: Math.max(1, history.callsLeft),
    },
    prepared: undefined,
    notes: undefined,
    compactsAt: undefined,
  };
}

// ------------------------------------------------------------------------------------------------ words

function say(
  { rule, proposal, net }: Weighed,
  verdict: string,
  state: WindowState,
  { horizonRequests }: WeighNumbers,
): string {
  const frees = `frees ${grouped(Math.round(proposal.freesTokens))} tokens`;
  return `${rule} ${verdict}: ${proposal.because}; ${frees} and ${netInWords(net, state)} over ${horizonRequests} requests`;
}

function sayBarred({ rule, barred }: Weighed): string {
  return `${rule}: ${barred ?? "not needed"}`;
}

function sayNothingFits(weighed: readonly Weighed[]): string {
  const others = weighed.map(sayBarred).join("; ");
  return `the window is full, and nothing can be cleared or compacted${others === "" ? "" : ` (${others})`}`;
}

function sayFull({ size, window }: WindowState): string {
  if (size.tokens >= window.hardLimitTokens)
    return `${grouped(size.tokens)} tokens have reached the hard limit of ${grouped(window.hardLimitTokens)}`;
  return `${grouped(size.bytes)} bytes have reached the limit of ${grouped(window.bytes ?? 0)}`;
}

function netInWords(net: number, state: WindowState): string {
  return `${net < 0 ? "costs" : "saves"} ${money(Math.abs(net), state)}`;
}

/** An amount in dollars, or in units if the prices of the model are unknown. */
function money(units: number, { prices: { usdPerUnit } }: Pick<WindowState, "prices">): string {
  return usdPerUnit === undefined ? `${grouped(Math.round(units))} units` : `$${(units * usdPerUnit).toFixed(4)}`;
}
