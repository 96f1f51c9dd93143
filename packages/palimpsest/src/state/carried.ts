// The state that boundaries carry: pins, breakers, agents, readers, marks and the turn. Each is a fold over the log.

import type { PassedOver, ReadEntry } from "../log/entry.ts";
import type { ConfigurationPayload } from "../log/payload.ts";
import type { CompactionReason, PolicyPayload, PreparedState } from "../log/payload-compaction.ts";
import type { AgentEnded, AgentPayload, AgentPlanned, AgentStarted } from "../log/payload-turn.ts";
import type { Provenance } from "../log/provenance.ts";
import type { Json } from "../policy/policy.ts";
import type { Mark } from "../policy/window-state.ts";
import { foldTurn, NO_TURN, type TurnState } from "../view/turn.ts";

const MINUTE_MS = 60_000;

/** The rule for compactions that the window needs or the user has requested. */
export const WINDOW_BREAKER: BreakerRule = {
  failuresToOpen: 3,
  waitMs: () => 10 * MINUTE_MS,
  userMessage: "tries",
};

/** The rule for compactions that only save money. A failed one saves nothing, so each failure doubles the wait. */
export const ECONOMIC_BREAKER: BreakerRule = {
  failuresToOpen: 1,
  waitMs: (failures) => 10 * MINUTE_MS * 2 ** Math.min(4, failures - 1),
  userMessage: "waits",
};

export const CLOSED: BreakerState = { kind: "closed", failures: 0 };
/** The maximum number of finished agents in the state. Their results are in the log. */
const MAX_ENDED_AGENTS = 50;
/** The maximum number of finished agents that are listed after a compaction. */
const MAX_LISTED_ENDED_AGENTS = 20;
const GOAL_CHARACTERS = 160;
/** The maximum number of remembered ranges. Each belongs to a compaction that was undone by hand. */
const MAX_TAKEN_BACK = 16;
/** The source of model calls for compaction. The state counts these calls. */
export const COMPACTION_SOURCE = "compact";
/** The source of model calls for a summary that nobody waits for. Each preparation has its own limit of calls. */
export const PREPARE_SOURCE = "compact_ahead";

/**
 * State that must survive every compaction, apart from the view. It is a fold over the log, like the view, and plain
 * JSON of bounded size. Boundaries carry it.
 */
export interface CarriedState {
  readonly pins: readonly Pin[];
  /** The newest version of the notes. */
  readonly notes?: { readonly entry: number; readonly coveredTo: number };
  /** The summary that was written before a compaction needed it. A boundary ends it. */
  readonly prepared: PreparedState | undefined;
  /** Facts from before the newest boundary. */
  readonly evidence: unknown;
  /** The entries of the user's messages before the newest boundary: the first, and the newest. */
  readonly said: readonly number[];
  /** By part: what its collector made of the messages before the newest boundary. */
  readonly collected: Readonly<Record<string, CollectedState>>;
  /** The hash of the newest erasure that `evidence`, `said` and `collected` take into account. */
  readonly erasure: string | undefined;
  /** The breaker of summaries that the window needs or the user has requested. */
  readonly breaker: BreakerState;
  /** The breaker of compactions that only save money. */
  readonly economicBreaker: BreakerState;
  /** The started agents and their states. */
  readonly agents: readonly AgentInFlight[];
  /** The newest entry that each named reader has processed. */
  readonly readers: Readonly<Record<string, number>>;
  /** Facts that the host recorded, by name. */
  readonly marks: Readonly<Record<string, Mark>>;
  /** The policy that made the newest decision, as data. */
  readonly policy: PolicyPayload | undefined;
  /** The newest decision that changed the prompt before its end, and the size of the view after it. */
  readonly lastChange: LastChange | undefined;
  /** The state of the newest turn. */
  readonly turn: TurnState;
  /** The total number of the user's messages. */
  readonly userMessages: number;
  /** The number of the entry with the user's newest message; 0 if there is none. */
  readonly spokenAt: number;
  readonly chain: CompactionChain;
  /** The number of model calls for compaction since the user's last message. */
  readonly calls: number;
  /** `held`: compacted content was restored, so automatic compaction waits for the user's next message. */
  readonly automatic: "on" | "held";
  /** Ranges whose compaction was undone and that no later compaction covers, the newest last. */
  readonly takenBack: readonly TakenBack[];
  /** The smallest token limit that the provider has named in a refusal or revealed by truncating. */
  readonly limitTokens?: number;
  /** The model that has this limit. */
  readonly model?: string;
  /** The number of requests in a row that the provider refused as too long. */
  readonly overflows: number;
}

/** What a part remembers of messages that are no longer in view. */
export interface CollectedState {
  /** The version of the collector. */
  readonly version: number;
  /** Plain JSON of bounded size. */
  readonly state: unknown;
}

export interface Pin {
  /** The entry that pins the text. */
  readonly entry: number;
  readonly text: string;
  readonly of?: number;
  /** The source of the text. @default the host */
  readonly provenance?: Provenance;
}

/** The size of the view after a decision. */
interface LastChange {
  readonly entry: number;
  readonly tokensAfter: number;
}

/** More names than this are a mistake of the host. The oldest marks are forgotten. */
const MAX_MARKS = 200;

function withMark(marks: CarriedState["marks"], name: string, mark: Mark): CarriedState["marks"] {
  const { [name]: _, ...others } = marks;
  return Object.fromEntries([...Object.entries(others), [name, mark] as const].slice(-MAX_MARKS));
}

interface TakenBack {
  readonly from: number;
  readonly to: number;
  /** The entry that undid the compaction. */
  readonly at: number;
}

/** Counts compactions. Frequent compactions mean that the summaries are too long. */
interface CompactionChain {
  /** The newest boundary; 0 if there is none. */
  readonly boundary: number;
  readonly boundaries: number;
  /** The number of the user's messages since the newest boundary. */
  readonly turns: number;
  /** The size of the view after the newest compaction; undefined without one, or if the host replaced the range itself. */
  readonly tokensAfter: number | undefined;
}

export const EMPTY_CARRIED_STATE: CarriedState = {
  pins: [],
  prepared: undefined,
  evidence: undefined,
  said: [],
  collected: {},
  erasure: undefined,
  breaker: CLOSED,
  economicBreaker: CLOSED,
  agents: [],
  readers: {},
  marks: {},
  policy: undefined,
  lastChange: undefined,
  turn: NO_TURN,
  userMessages: 0,
  spokenAt: 0,
  chain: { boundary: 0, boundaries: 0, turns: 0, tokensAfter: undefined },
  calls: 0,
  automatic: "on",
  takenBack: [],
  overflows: 0,
};

/** Adds one entry of the branch to the state. The caller leaves out decisions that a later `restore` undoes. */
export function foldCarriedState(before: CarriedState, read: ReadEntry | PassedOver, atMs: number): CarriedState {
  const turn = foldTurn(before.turn, read);
  const carriedState = turn === before.turn ? before : { ...before, turn };
  switch (read.kind) {
    case "message":
      return read.payload.origin === "human" ? foldUserMessage(carriedState, read.sequence) : carriedState;
    case "usage": {
      const { source } = read.payload;
      const isSummary = source === COMPACTION_SOURCE || source === PREPARE_SOURCE;
      return {
        ...carriedState,
        calls: carriedState.calls + (isSummary ? 1 : 0),
        overflows: isSummary ? carriedState.overflows : 0,
      };
    }
    case "configuration":
      return foldConfiguration(carriedState, read.payload);
    case "pin":
      return { ...carriedState, pins: [...carriedState.pins, { entry: read.sequence, ...read.payload }] };
    case "unpin":
      return { ...carriedState, pins: carriedState.pins.filter(({ entry }) => entry !== read.payload.of) };
    case "agent":
      return { ...carriedState, agents: foldAgent(carriedState.agents, read.payload, read.sequence) };
    case "reader": {
      const { name, coveredTo } = read.payload;
      return { ...carriedState, readers: { ...carriedState.readers, [name]: coveredTo } };
    }
    case "mark": {
      const { name, value } = read.payload;
      return {
        ...carriedState,
        marks: withMark(carriedState.marks, name, { value: value as Json, entry: read.sequence }),
      };
    }
    case "policy":
      return { ...carriedState, policy: read.payload };
    case "decision":
      return { ...carriedState, lastChange: { entry: read.sequence, tokensAfter: read.payload.tokensAfter } };
    case "notes":
      return { ...carriedState, notes: { entry: read.sequence, coveredTo: read.payload.coveredTo } };
    case "prepared":
      return { ...carriedState, prepared: foldPrepared(carriedState.prepared, read) };
    case "rewind":
      return { ...carriedState, prepared: read.payload.prepared };
    case "attempt":
      return foldAttempt(carriedState, read, atMs);
    case "overflow":
      return foldOverflow(carriedState, read.payload.limitTokens);
    case "boundary":
      return foldBoundary(read.payload.state.standing as CarriedState, read);
    case "restore":
      return read.payload.was === "boundary" ? foldRestore(carriedState, read) : carriedState;
    default:
      return carriedState;
  }
}

function foldUserMessage(carriedState: CarriedState, spokenAt: number): CarriedState {
  const { chain } = carriedState;
  const userMessages = carriedState.userMessages + 1;
  return {
    ...carriedState,
    userMessages,
    spokenAt,
    calls: 0,
    automatic: "on",
    chain: { ...chain, turns: chain.turns + 1 },
  };
}

function foldPrepared(
  before: PreparedState | undefined,
  { sequence, payload }: Extract<ReadEntry, { kind: "prepared" }>,
): PreparedState | undefined {
  if (payload.step === "dropped") return payload.of === before?.entry ? undefined : before;
  const { from, to, viewChangedAt, formKey, tokens, installs, calls, priceUsd } = payload;
  return { entry: sequence, from, to, viewChangedAt, formKey, tokens, installs, calls, priceUsd };
}

/** Forgets the token limit if the model changes. */
function foldConfiguration(carriedState: CarriedState, { provider, model: name }: ConfigurationPayload): CarriedState {
  const model = `${provider}/${name}`;
  if (carriedState.model === model) return carriedState;
  const { limitTokens: _, ...rest } = carriedState;
  return { ...rest, model };
}

function foldAttempt(
  carriedState: CarriedState,
  read: Extract<ReadEntry, { kind: "attempt" }>,
  atMs: number,
): CarriedState {
  const event = { kind: "failed", seen: seenAt(carriedState, read, atMs) } as const;
  const { reason, calls = carriedState.calls } = read.payload;
  if (!isOptional(reason)) return { ...carriedState, calls, breaker: breakerAfter(carriedState.breaker, event) };
  return {
    ...carriedState,
    calls,
    economicBreaker: breakerAfter(carriedState.economicBreaker, event, ECONOMIC_BREAKER),
  };
}

/** Whether the window has room without the compaction. Such a compaction may wait, and never costs content. */
export function isOptional(reason: CompactionReason): boolean {
  return reason === "economic" || reason === "requested";
}

function seenAt({ userMessages }: CarriedState, { sequence }: { readonly sequence: number }, nowMs: number): Seen {
  return { nowMs, userMessages, viewChangedAt: sequence };
}

function foldOverflow(carriedState: CarriedState, limitTokens = Number.POSITIVE_INFINITY): CarriedState {
  const smallest = Math.min(limitTokens, carriedState.limitTokens ?? Number.POSITIVE_INFINITY);
  const limit = Number.isFinite(smallest) && smallest > 0 ? { limitTokens: smallest } : {};
  return { ...carriedState, ...limit, overflows: carriedState.overflows + 1 };
}

/**
 * Takes over the state that a boundary carries, and counts the compaction. A summary by a model resets the count of
 * calls; a compaction without a model does not.
 */
function foldBoundary(
  carried: CarriedState,
  { sequence, payload }: Extract<ReadEntry, { kind: "boundary" }>,
): CarriedState {
  const { chain } = carried;
  const boundary = sequence;
  const calls = payload.compaction?.summary.way === "none" ? carried.calls : 0;
  const tokensAfter = payload.compaction?.tokensAfter;
  const lastChange = tokensAfter === undefined ? undefined : { entry: boundary, tokensAfter };
  const isCovered = ({ from, to }: TakenBack): boolean => payload.from <= from && to <= payload.to;
  const left = carried.takenBack.filter((range) => !isCovered(range));
  return {
    ...carried,
    prepared: undefined,
    calls,
    lastChange,
    takenBack: left,
    chain: { boundary, boundaries: chain.boundaries + 1, turns: 0, tokensAfter },
  };
}

function foldRestore(
  carriedState: CarriedState,
  { sequence, payload }: Extract<ReadEntry, { kind: "restore" }>,
): CarriedState {
  const { from, to } = payload;
  const ranges = [...carriedState.takenBack, { from, to, at: sequence }].slice(-MAX_TAKEN_BACK);
  return { ...carriedState, prepared: undefined, automatic: "held", takenBack: ranges };
}

/** A circuit breaker that stops repeated attempts at a failing summary. It is stored in the log, so it is plain JSON. */
export type BreakerState =
  | { readonly kind: "closed"; readonly failures: number }
  /** `at`: the conditions when the breaker opened. */
  | { readonly kind: "open"; readonly failures: number; readonly at: Seen }
  /** An attempt is in progress. `tried`: the conditions when it began, in case its end is never reported. */
  | { readonly kind: "half-open"; readonly failures: number; readonly at: Seen; readonly tried: Seen };

/** The conditions of an attempt. If they change, another attempt can be worthwhile. */
export interface Seen {
  readonly nowMs: number;
  /** The number of the user's messages. */
  readonly userMessages: number;
  /** The entry that last changed the view. */
  readonly viewChangedAt: number;
}

export type BreakerEvent =
  | { readonly kind: "started"; readonly seen: Seen }
  | { readonly kind: "failed"; readonly seen: Seen }
  | { readonly kind: "succeeded" }
  /** Canceled by the user. It does not count as a failure or as an attempt. */
  | { readonly kind: "aborted" };

/** When a breaker opens, and when it allows another attempt. */
interface BreakerRule {
  /**
   * The number of failures in a row that opens the breaker. Without such a limit, sessions have failed thousands of
   * times in a row.
   */
  readonly failuresToOpen: number;
  /** How long the breaker stays open after this many failures in a row. */
  readonly waitMs: (failures: number) => number;
  /** `tries`: a new user message together with a changed view allows an earlier attempt. */
  readonly userMessage: "tries" | "waits";
}

export function breakerAfter(
  state: BreakerState,
  event: BreakerEvent,
  rule: BreakerRule = WINDOW_BREAKER,
): BreakerState {
  switch (event.kind) {
    case "succeeded":
      return CLOSED;
    case "aborted":
      return state.kind === "half-open" ? { kind: "open", failures: state.failures, at: state.at } : state;
    case "started":
      return state.kind === "closed"
        ? state
        : { kind: "half-open", failures: state.failures, at: state.at, tried: event.seen };
    case "failed": {
      const failures = state.failures + 1;
      const opens = state.kind !== "closed" || failures >= rule.failuresToOpen;
      return opens ? { kind: "open", failures, at: event.seen } : { kind: "closed", failures };
    }
  }
}

/** Tells whether a model may be asked for a summary now. A compaction without a model is always possible. */
export function mayTry(state: BreakerState, seen: Seen, rule: BreakerRule = WINDOW_BREAKER): boolean {
  if (state.kind === "closed") return true;
  const before = state.kind === "open" ? state.at : state.tried;
  const elapsedMs = seen.nowMs - before.nowMs;
  // If the clock was set back, try now: otherwise the breaker could stay open for years.
  if (elapsedMs >= rule.waitMs(state.failures) || elapsedMs < 0) return true;
  if (rule.userMessage === "waits") return false;
  return seen.userMessages > before.userMessages && seen.viewChangedAt !== before.viewChangedAt;
}

/** Returns when an open breaker allows the next attempt. Undefined if the breaker is not open. */
export function retryAtMs(state: BreakerState, rule: BreakerRule): number | undefined {
  return state.kind === "open" ? state.at.nowMs + rule.waitMs(state.failures) : undefined;
}

/** An agent that the session has started. */
export interface AgentInFlight extends Omit<AgentStarted, "step" | "plan"> {
  readonly status: "running" | AgentEnded["outcome"];
  /** The state of the agent's plan. @default the agent needs no plan */
  readonly plan?: "required" | AgentPlanned["state"];
  /** The key of the message with the newest plan. */
  readonly planKey?: string;
  /** The entry that started the agent. */
  readonly entry: number;
  /** The entry with the agent's result, if the result has an entry. */
  readonly resultEntry?: number;
  /** The newest entry of the agent's log when a message resumed it. Earlier content is not a result of this run. */
  readonly resumedAfter?: number;
}

/**
 * `known`: the step was recorded before, so it is not reported again. `unknown`: no such agent was started on this
 * branch, because its work was undone.
 */
export type AgentStepOutcome = "entered" | "known" | "unknown";

export function foldAgent(
  agents: readonly AgentInFlight[],
  payload: AgentPayload,
  sequence: number,
): readonly AgentInFlight[] {
  if (classifyStep(agents, payload) !== "entered") return agents;
  if (payload.step === "started") {
    const { step: _, ...started } = payload;
    return forgetOldAgents([...agents, { ...started, status: "running", entry: sequence }]);
  }
  return forgetOldAgents(
    agents.map((agent) => (agent.id === payload.id ? changeAgent(agent, payload, sequence) : agent)),
  );
}

function changeAgent(
  agent: AgentInFlight,
  payload: Exclude<AgentPayload, AgentStarted>,
  sequence: number,
): AgentInFlight {
  if (payload.step === "plan") return { ...agent, plan: payload.state, planKey: payload.key };
  const { resultEntry: _, resumedAfter: __, ...rest } = agent;
  if (payload.step === "resumed")
    return { ...rest, status: "running", ...(payload.after === undefined ? {} : { resumedAfter: payload.after }) };
  const result = payload.told === "next-entry" ? { resultEntry: sequence + 1 } : {};
  return { ...rest, status: payload.outcome, ...result };
}

function forgetOldAgents(agents: readonly AgentInFlight[]): readonly AgentInFlight[] {
  const ended = agents.filter((agent) => !isActive(agent));
  const gone = new Set(ended.slice(0, Math.max(0, ended.length - MAX_ENDED_AGENTS)));
  return gone.size === 0 ? agents : agents.filter((agent) => !gone.has(agent));
}

/** Tells whether a step is new. Each agent starts once, and ends once for each run. */
export function classifyStep(agents: readonly AgentInFlight[], payload: AgentPayload): AgentStepOutcome {
  const agent = agents.find((one) => one.id === payload.id);
  if (payload.step === "started") return agent === undefined ? "entered" : "known";
  if (agent === undefined) return "unknown";
  return isNew(agent, payload) ? "entered" : "known";
}

function isNew({ status, plan, planKey }: AgentInFlight, payload: Exclude<AgentPayload, AgentStarted>): boolean {
  switch (payload.step) {
    case "ended":
      return status === "running" || (status === "idle" && payload.outcome === "stopped");
    case "resumed":
      return status !== "running";
    case "plan":
      // An answer counts only for the newest plan, and only once, because the person who answered has read that plan.
      if (payload.state === "asked") return plan !== undefined && plan !== "approved";
      return plan === "asked" && planKey === payload.key;
  }
}

/** Tells whether an agent works or waits for messages. Such agents stay in the state. */
function isActive({ status }: AgentInFlight): boolean {
  return status === "running" || status === "idle";
}

interface AgentsTextOptions {
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
}

/**
 * Renders the agents for the model, running and idle ones first, one per line. Leaves out details if space is short.
 */
export function agentsText(agents: readonly AgentInFlight[], { budgetTokens, countTokens }: AgentsTextOptions): string {
  const active = agents.filter(isActive);
  const ended = agents.filter((agent) => !isActive(agent)).slice(-MAX_LISTED_ENDED_AGENTS);
  const texts = [
    [...active, ...ended].map(lineOf).join("\n"),
    active.map(lineOf).join("\n"),
    active.map(({ id, name }) => (name === undefined ? id : `${name} (${id})`)).join(", "),
  ];
  const running = active.filter(({ status }) => status === "running").length;
  const counted = running === 0 ? "" : `${running} agents are running.`;
  return texts.find((text) => countTokens(text) <= budgetTokens) ?? counted;
}

function lineOf({ id, name, definition, way, goal, status, plan, planKey, resultEntry }: AgentInFlight): string {
  const label = [id, name, definition].filter((part) => part !== undefined).join(", ");
  const short = goal.length <= GOAL_CHARACTERS ? goal : `${goal.slice(0, GOAL_CHARACTERS)}...`;
  const result = resultEntry === undefined ? "" : `; its result is entry ${resultEntry}`;
  const pendingPlan = plan === "asked" ? `; its plan ${planKey} waits for your answer` : "";
  return `- ${label} (${way}): ${short.replace(/\s+/g, " ")} [${status}${result}${pendingPlan}]`;
}
