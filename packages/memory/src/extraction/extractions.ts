import {
  type NewEvent,
  type PermissionOptions,
  type QueryOptions,
  query,
  type Session,
  type Store,
  type Tool,
} from "palimpsest";
import type { LedgerTotals } from "palimpsest/inspect";
import { aValueOf, checkOptions, ifGiven, integer, number, withMethods } from "palimpsest/schema";

import type { Memory } from "../memory.ts";
import { findLasting } from "../trust/find-lasting.ts";
import { extractionPrompt } from "./extraction-prompt.ts";
import { MEMORY_TOOL } from "./memory-tool.ts";
import { planShare } from "./plan-share.ts";
import { readStatements } from "./read-statements.ts";
import { watchRound } from "./watch-round.ts";

/** The source of its calls in the ledger, and of its mark in the log. */
export const EXTRACTION_SOURCE = "extract_memories";

/** A habit is looked for in this many entries before the new ones. */
const HABIT_ENTRIES = 500;

/** The limits of extractions. */
interface ExtractionLimits {
  /** The maximum number of responses in one extraction. @default 5 */
  readonly maxRounds?: number;
  /** An extraction that takes longer is stopped. @default 120_000 */
  readonly timeoutMs?: number;
  /** Tokens that the extractions of one session may use, not counting cache reads. @default 100_000 */
  readonly maxTokens?: number;
  /**
   * The percentage of a session's bill that its extractions may cost. Turns wait until the session has cost enough, and are then
   * searched together. 100: no limit. @default 3
   */
  readonly maxCostPercent?: number;
}

/** What an extraction reads, the memory that it writes, and its limits. */
export interface ExtractionOptions extends ExtractionLimits, Pick<PermissionOptions, "permission"> {
  readonly memory: Pick<Memory, "list" | "inbox">;
  /** The store of the sessions' logs. */
  readonly store: Pick<Store, "openReader">;
  /** The tools that read, and the memory tool. The fork lists all tools of the session, and these are the ones that it can run. */
  readonly tools: readonly Tool[];
  /** The tools among them that change nothing. */
  readonly readOnlyTools: readonly string[];
  /** The tokens that the extractions of all sessions may use in a day, not counting cache reads. @default no limit */
  readonly daily?: DailyBudget;
}

/** Tokens that may be spent in a day. */
export interface DailyBudget {
  leftTokens(): Promise<number>;
  spend(tokens: number): Promise<void>;
}

/** The options with every limit set. */
type LimitedOptions = ExtractionOptions & Required<ExtractionLimits>;

type ExtractionEnded = Omit<Extract<NewEvent, { kind: "memories-extracted" }>, "kind">;

/** An extraction that calls the model. */
export interface RunningExtraction {
  /** What it has cost so far. */
  priceUsd(): number;
  /** Ends it. What it has saved stays, and its turns are not looked through again. */
  stop(): void;
}

/** Finds facts worth keeping after turns, in the background. */
export interface Extractions {
  /**
   * For `afterTurn` of a query: runs at the end of a turn. Never rejects. One runs at a time; the newest waiting one runs
   * afterwards.
   */
  afterTurn(session: Session): Promise<void>;
  /** The extraction that calls the model now; undefined if none does. */
  running(): RunningExtraction | undefined;
  /** Waits for the running extraction, up to this time. */
  drain(timeoutMs: number): Promise<"drained" | "left">;
}

/**
 * Searches each turn for facts to remember, on a fork that shares the session's cached prompt. The session's listeners get the
 * outcome, and the number of proposals that wait for the user.
 */
export function createExtractions(options: ExtractionOptions): Extractions {
  const limited = withLimits(options);
  const { memory } = options;
  let running: Promise<void> | undefined;
  let current: RunningExtraction | undefined;
  const onRun: OnRun = (extraction) => {
    current = extraction;
  };
  let next: Session | undefined;
  /** Sessions that were already notified: the notice is not repeated after every turn. */
  const overBudget = new WeakSet<Session>();

  async function runAll(first: Session): Promise<void> {
    for (let session: typeof next = first; session !== undefined; ) {
      next = undefined;
      const ended = await extract(session, limited, onRun).catch(
        (error: unknown): ExtractionEnded => ({ outcome: "failed", count: 0, why: String(error) }),
      );
      const isSent = ended === undefined || (ended.outcome === "over-budget" && overBudget.has(session));
      if (ended?.outcome === "over-budget") overBudget.add(session);
      else if (ended?.used !== undefined) overBudget.delete(session);
      if (!isSent) session.events.emit({ kind: "memories-extracted", ...ended });
      if (ended?.outcome === "extracted") await emitWaiting(session, memory);
      session = next;
    }
    running = undefined;
  }

  return {
    afterTurn(session) {
      if (running === undefined) running = runAll(session);
      else next = session;
      return running;
    },
    running: () => current,
    async drain(timeoutMs) {
      if (running === undefined) return "drained";
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<"left">((resolve) => {
        timer = setTimeout(() => resolve("left"), timeoutMs);
      });
      const outcome = await Promise.race([running.then(() => "drained" as const), late]);
      clearTimeout(timer);
      return outcome;
    },
  };
}

function withLimits(options: ExtractionOptions): LimitedOptions {
  checkOptions("createExtractions", options, {
    memory: withMethods(["list", "inbox"], "a memory: await openMemory()"),
    store: withMethods(["openReader"], "the store of the sessions"),
    maxRounds: ifGiven(aValueOf(integer("", { minimum: 1 }))),
    timeoutMs: ifGiven(aValueOf(integer("", { minimum: 1 }))),
    maxTokens: ifGiven(aValueOf(integer("", { minimum: 0 }))),
    maxCostPercent: ifGiven(aValueOf(number("", { exclusiveMinimum: 0, maximum: 100 }))),
  });
  const { maxRounds = 5, timeoutMs = 120_000, maxTokens = 100_000, maxCostPercent = 3 } = options;
  return { ...options, maxRounds, timeoutMs, maxTokens, maxCostPercent };
}

/** Gets the extraction when it starts, and nothing when it has ended. */
type OnRun = (extraction: RunningExtraction | undefined) => void;

async function extract(session: Session, options: LimitedOptions, onRun: OnRun): Promise<ExtractionEnded | undefined> {
  if (session.settings().settings["memory.extraction"] === "off") return undefined;
  const { memory, store, daily, maxTokens, maxCostPercent } = options;
  const to = session.history.newestEntry;
  const log = await store.openReader(session.id);
  if (log === undefined) return { outcome: "failed", count: 0, why: "the session's log is not in the store" };
  const from = session.background.readTo(EXTRACTION_SOURCE) + 1;
  const { said, wroteMemory } = await readStatements(log, from, to);
  // Content is searched once only, whatever the outcome.
  const done = async (ended: ExtractionEnded): Promise<ExtractionEnded> => {
    await session.background.setReadTo(EXTRACTION_SOURCE, to);
    return ended;
  };
  if (wroteMemory === "yes") return done({ outcome: "own-writes", count: 0 });
  // A memory rests on a sentence of the user. Where none could carry one, no model is asked.
  const { said: earlier } = await readStatements(log, Math.max(1, from - HABIT_ENTRIES), from - 1);
  const sentences = findLasting(said, earlier);
  if (sentences.length === 0) return done({ outcome: "nothing", count: 0 });
  const cost = await session.ledger.cost();
  const { bySource } = cost;
  const spent = paidTokens(bySource[EXTRACTION_SOURCE]);
  if (spent >= maxTokens) {
    const why = `extractions of this session have used ${spent} tokens and may use ${maxTokens}`;
    return done({ outcome: "over-budget", count: 0, why });
  }
  // The mark stays: when the session has cost enough, this turn is looked through with those that followed.
  if (planShare(cost, EXTRACTION_SOURCE, maxCostPercent).kind === "wait") return undefined;
  const leftToday = (await daily?.leftTokens()) ?? Number.POSITIVE_INFINITY;
  if (leftToday <= 0) {
    const why = `extractions of all sessions are ${-leftToday} tokens above the budget of today`;
    return done({ outcome: "over-budget", count: 0, why });
  }

  const { ended, used } = await runFork(session, extractionPrompt(await memory.list(), sentences), options, onRun);
  await daily?.spend(paidTokens(used));
  return done({ ...ended, used });
}

async function runFork(
  session: Session,
  prompt: string,
  { tools, readOnlyTools, permission, maxRounds, timeoutMs }: LimitedOptions,
  onRun: OnRun,
) {
  const stopped = new AbortController();
  const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(timeoutMs)]);
  const fork = await session.fork({ source: EXTRACTION_SOURCE, allowedTools: [...readOnlyTools, MEMORY_TOOL], signal });
  onRun({ priceUsd: () => fork.ledger.totals().priceUsd, stop: () => stopped.abort() });
  const round = watchRound(tools);
  let asked: QueryOptions["prompt"] = { role: "user", origin: "host", blocks: [{ kind: "text", text: prompt }] };
  let count = 0;
  try {
    for (let rounds = maxRounds; ; rounds--) {
      round.begin();
      const turn = query(fork, {
        tools: round.tools,
        maxRounds: 1,
        signal,
        ...(asked === undefined ? {} : { prompt: asked }),
        ...(permission === undefined ? {} : { permission }),
      });
      let step = await turn.next();
      for (; step.done !== true; step = await turn.next()) round.see(step.value);
      const { value } = step;
      asked = undefined;
      count += round.saves();
      // A round that only saves is the last: there is nothing to be said about it, and each round reads the whole prompt.
      if (value.kind === "rounds-used-up" && rounds > 1 && !round.isFinal()) continue;
      const failure =
        value.kind === "failed" ? value.error.message : value.kind === "aborted" ? whyAborted(stopped) : undefined;
      const outcome = failure !== undefined ? "failed" : count > 0 ? "extracted" : "nothing";
      const ended: ExtractionEnded = { outcome, count, ...(failure === undefined ? {} : { why: failure }) };
      return { ended, used: fork.ledger.totals() };
    }
  } finally {
    onRun(undefined);
    await fork.close();
  }
}

function whyAborted({ signal }: AbortController): string {
  return signal.aborted ? "it was stopped" : "it took too long";
}

/** How many wait is only worth a word if some do. */
export async function emitWaiting(session: Pick<Session, "events">, memory: Pick<Memory, "inbox">): Promise<void> {
  const { length: count } = await memory.inbox();
  if (count > 0) session.events.emit({ kind: "memories-waiting", count });
}

/** Cache reads cost a tenth or less, so the budget does not count them. */
function paidTokens(totals: LedgerTotals | undefined): number {
  return totals === undefined ? 0 : totals.freshTokens + totals.cacheWriteTokens + totals.outputTokens;
}
