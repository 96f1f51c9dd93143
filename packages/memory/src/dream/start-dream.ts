import { keepLease, type Lease, type LeaseOutcome } from "@palimpsest/coordination";
import { type Charge, chargeParent, type NewEvent, query, type Session, type Store, type Tool } from "palimpsest";
import { aValueOf, checkOptions, ifGiven, integer, number, withMethods } from "palimpsest/schema";

import type { BatchOutcome, BatchStep, BatchSummary } from "../batch.ts";
import type { Memory } from "../memory.ts";
import type { TopicUse } from "../memory-files.ts";
import { applySteps } from "./apply-steps.ts";
import { dreamPrompt } from "./dream-prompt.ts";
import { createDreamState, type DreamOutcome, type DreamTask, type OwnDreamState } from "./dream-task.ts";
import { dreamTools } from "./dream-tools.ts";
import { BREAKER_FAILURES } from "./gates.ts";
import { guardShare } from "./guard-share.ts";

/** The memory to tidy, the sessions to read, and the session that does it. */
export interface DreamOptions {
  readonly memory: Pick<Memory, "batch">;
  /** The lease that allows one run at a time, over all processes. It is released when the run ends. */
  readonly lease: Lease;
  /** The store of the sessions that may be searched. */
  readonly store: Pick<Store, "openReader">;
  readonly sessions: readonly string[];
  /** A session of its own, with `DREAM_SYSTEM` as its system prompt. It is closed when the run ends. */
  readonly session: Session;
  /**
   * The session that the run works for: its ledger also has the run's usage, under `dream`, and its listeners get the outcome.
   * @default only the run's own session
   */
  readonly parent?: Pick<Session, "ledger" | "events">;
  /** How often topics were used. @default unknown */
  readonly uses?: ReadonlyMap<string, TopicUse>;
  /** Further read-only tools. @default none */
  readonly readTools?: readonly Tool[];
  /** `manual`: the user requested it. @default "auto" */
  readonly trigger?: Dreamed["trigger"];
  /** `dry-run`: nothing is written; the outcome says what would have been. @default "apply" */
  readonly mode?: "apply" | "dry-run";
  /** The maximum number of responses in the run. @default 40 */
  readonly maxRounds?: number;
  /** A run that would remove or rewrite more than this percentage of the topics waits for the user's approval. @default 30 */
  readonly maxChangedPercent?: number;
  /** @default the system's clock */
  readonly clock?: { now(): number };
}

const MAX_ROUNDS = 40;
const MAX_CHANGED_PERCENT = 30;

/** The source of runs in the ledger of the session that they work for. */
const DREAM_SOURCE = "dream";

/** Tidies the memory in the background: one run makes one commit, or none. */
export function startDream(options: DreamOptions): DreamTask {
  checkOptions("startDream", options, {
    memory: withMethods(["batch"], "a memory: await openMemory()"),
    session: withMethods(["append", "prepare"], "a session of its own: await openSession()"),
    maxRounds: ifGiven(aValueOf(integer("", { minimum: 1 }))),
    maxChangedPercent: ifGiven(aValueOf(number("", { exclusiveMinimum: 0, maximum: 100 }))),
  });
  const { lease, session, clock = { now: Date.now } } = options;
  const own = createDreamState(clock.now());
  const killed = new AbortController();
  const kept = keepLease(lease);
  const signal = AbortSignal.any([killed.signal, kept.signal]);
  const charge =
    options.parent &&
    chargeParent({ parent: options.parent, child: session, source: DREAM_SOURCE, responses: "entered-here" });

  async function run(): Promise<DreamOutcome> {
    const staged = await stage(options, { own, signal, nowMs: clock.now(), charge });
    if (killed.signal.aborted) return { kind: "killed", why: "it was stopped" };
    if (kept.signal.aborted) return { kind: "lost", why: "another process has taken the lease" };
    if (staged.kind !== "held") return staged.kind === "unchanged" ? staged : { kind: "failed", why: whyOf(staged) };
    const { summary, steps } = staged;
    const why =
      options.mode === "dry-run"
        ? "nothing was to be written"
        : guardShare(summary, options.maxChangedPercent ?? MAX_CHANGED_PERCENT);
    if (why !== undefined) return { kind: "held", why, summary, steps };
    return install(options, steps);
  }

  const done = run()
    .catch((error: unknown): DreamOutcome => ({ kind: "failed", why: String(error) }))
    .then(async (outcome) => {
      kept.stop();
      await charge?.finish().catch(() => undefined);
      const finished = leaseOutcome(outcome, options.mode);
      await lease.finish(finished);
      const { emit } = (options.parent ?? session).events;
      emit({ kind: "dreamed", trigger: options.trigger ?? "auto", ...toldOf(outcome), used: session.ledger.totals() });
      const failures = lease.failures + 1;
      if (finished === "failed" && failures === BREAKER_FAILURES)
        emit({ kind: "breaker-tripped", of: "dream", failures });
      await session.close();
      own.end(outcome);
      return outcome;
    });
  return { state: own.state, listen: own.listen, kill: () => killed.abort(), done };
}

interface Staging {
  readonly own: OwnDreamState;
  readonly signal: AbortSignal;
  readonly nowMs: number;
  readonly charge: Charge | undefined;
}

/** The run itself: it stages all changes and applies none. */
function stage(
  { memory, store, sessions, session, uses = new Map(), readTools = [], maxRounds = MAX_ROUNDS }: DreamOptions,
  { own, signal, nowMs, charge }: Staging,
): Promise<BatchOutcome> {
  const act = async (batch: Parameters<typeof dreamTools>[0]["batch"]): Promise<void> => {
    const tools = [...dreamTools({ batch, store, sessions, uses, onChange: own.touched }), ...readTools];
    const turn = query(session, {
      tools,
      signal,
      prompt: dreamPrompt({
        todayIso: new Date(nowMs).toISOString().slice(0, 10),
        sessions: sessions.length,
        readTools: readTools.map(({ name }) => name),
      }),
      maxRounds,
    });
    for (;;) {
      const { done, value } = await turn.next();
      if (done === true) {
        if (value.kind === "failed") throw value.error;
        return;
      }
      charge?.onEvent(value);
      if (value.kind === "response") {
        const { text, calls } = value.response;
        own.turn({ text, calls: calls.map(({ name }) => name) });
      }
    }
  };
  return memory.batch("dream", "Go over the memory", act, () => "staged");
}

/** Guarded by the lease: a fenced owner writes nothing. */
async function install({ memory, lease }: DreamOptions, steps: readonly BatchStep[]): Promise<DreamOutcome> {
  const guarded = await lease.guard(() => applySteps(memory, steps));
  if (guarded.kind === "lost") return { kind: "lost", why: "another process has taken the lease" };
  const outcome = guarded.value;
  if (outcome.kind === "refused") return { kind: "failed", why: outcome.why };
  return outcome;
}

/** A dry run changes nothing. A run that waits for approval or has failed is not started again at once. */
function leaseOutcome({ kind }: DreamOutcome, mode: DreamOptions["mode"]): LeaseOutcome {
  if (mode === "dry-run" || kind === "killed" || kind === "lost") return "killed";
  if (kind === "held") return "held";
  return kind === "written" || kind === "unchanged" ? "done" : "failed";
}

type Dreamed = Extract<NewEvent, { kind: "dreamed" }>;

function toldOf(outcome: DreamOutcome): Pick<Dreamed, "outcome" | "changed" | "why"> {
  switch (outcome.kind) {
    case "written":
      return { outcome: "consolidated", changed: changedBy(outcome.summary) };
    case "unchanged":
      return { outcome: "nothing", changed: 0 };
    case "held":
      return { outcome: "held", changed: changedBy(outcome.summary), why: outcome.why };
    case "stale":
      return { outcome: "failed", changed: 0, why: whyOf(outcome) };
    case "killed":
    case "lost":
      return { outcome: "stopped", changed: 0, why: outcome.why };
    case "failed":
      return { outcome: "failed", changed: 0, why: outcome.why };
  }
}

function changedBy({ added, rewritten, removed }: BatchSummary): number {
  return added.length + rewritten.length + removed.length;
}

function whyOf(outcome: BatchOutcome): string {
  if (outcome.kind === "refused") return outcome.why;
  return outcome.kind === "stale" ? `these were changed meanwhile: ${outcome.slugs.join(", ")}` : outcome.kind;
}
