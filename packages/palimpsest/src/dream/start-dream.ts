import { keepLease } from "../home/leases/keep-lease.ts";
import type { Lease } from "../home/leases/lease.ts";
import type { BatchOutcome, BatchStep } from "../memory/batch.ts";
import type { Memory } from "../memory/open-memory.ts";
import type { TopicUse } from "../memory/search/topic-uses.ts";
import { query } from "../query/query.ts";
import type { Sender } from "../query/send-with-retries.ts";
import type { Tool } from "../query/tool.ts";
import type { Session } from "../session/session.ts";
import type { Store } from "../stores/store.ts";
import { dreamPrompt } from "./dream-prompt.ts";
import { createDreamState, type DreamOutcome, type DreamTask, type OwnDreamState } from "./dream-task.ts";
import { dreamTools } from "./dream-tools.ts";
import { guardShare } from "./guard-share.ts";

export interface DreamOptions<Request, Response> {
  readonly memory: Pick<Memory, "batch">;
  /** One at a time, over all processes. It is given back when the run ends. */
  readonly lease: Lease;
  /** Where the sessions are that may be searched. */
  readonly store: Pick<Store, "openReader">;
  readonly sessions: readonly string[];
  /** A session of its own, with `DREAM_SYSTEM` as its system prompt. Closed when the run ends. */
  readonly session: Session<Request, Response>;
  readonly provider: Sender<Request, Response>;
  /** How often topics were of use. @default that is not told */
  readonly uses?: ReadonlyMap<string, TopicUse>;
  /** Tools that only read, beside its own. @default none */
  readonly readTools?: readonly Tool[];
  /** `dry-run`: nothing is written, and the outcome is what would have been. @default "apply" */
  readonly mode?: "apply" | "dry-run";
  /** @default the system's clock */
  readonly clock?: { now(): number };
}

/** Goes over the memory in the background: one run, one commit, or none. */
export function startDream<Request, Response>(options: DreamOptions<Request, Response>): DreamTask {
  const { lease, session, clock = { now: Date.now } } = options;
  const own = createDreamState(clock.now());
  const killed = new AbortController();
  const kept = keepLease(lease);
  const signal = AbortSignal.any([killed.signal, kept.signal]);

  async function run(): Promise<DreamOutcome> {
    const staged = await stage(options, own, signal, clock.now());
    if (killed.signal.aborted) return { kind: "killed", why: "it was stopped" };
    if (kept.signal.aborted) return { kind: "lost", why: "another process has taken the lease" };
    if (staged.kind !== "held") return staged.kind === "unchanged" ? staged : { kind: "failed", why: whyOf(staged) };
    const { summary, steps } = staged;
    const why =
      options.mode === "dry-run"
        ? "nothing was to be written"
        : guardShare(summary, session.settings().settings["dream.guardPercent"]);
    if (why !== undefined) return { kind: "held", why, summary, steps };
    return install(options, steps);
  }

  const done = run()
    .catch((error: unknown): DreamOutcome => ({ kind: "failed", why: String(error) }))
    .then(async (outcome) => {
      kept.stop();
      const isDone = outcome.kind === "written" || outcome.kind === "unchanged";
      // A dry run leaves the time as it was, and so does one that waits for a yes.
      await lease.finish(
        isDone && options.mode !== "dry-run" ? "done" : outcome.kind === "killed" ? "killed" : "failed",
      );
      await session.close();
      own.end(outcome);
      return outcome;
    });
  return { state: own.state, listen: own.listen, kill: () => killed.abort(), done };
}

/** Carries out what was held, once the user has said yes. What was changed since is named, and then nothing is written. */
export function applySteps(memory: Pick<Memory, "batch">, steps: readonly BatchStep[]): Promise<BatchOutcome> {
  return memory.batch("dream", "Go over the memory", async (batch) => {
    for (const step of steps) {
      if (step.kind === "write") await batch.write(step.draft, step.expected);
      else if (step.kind === "forget") await batch.forget(step.slug, step.because, step.expected);
      else if (step.kind === "rename") await batch.rename(step.slug, step.to, step.expected);
      else await batch.propose(step.draft, step.why);
    }
  });
}

/** The run itself: all changes are staged, none is made. */
function stage<Request, Response>(
  { memory, store, sessions, session, provider, uses = new Map(), readTools = [] }: DreamOptions<Request, Response>,
  own: OwnDreamState,
  signal: AbortSignal,
  nowMs: number,
): Promise<BatchOutcome> {
  const act = async (batch: Parameters<typeof dreamTools>[0]["batch"]): Promise<void> => {
    const tools = [...dreamTools({ batch, store, sessions, uses, onChange: own.touched }), ...readTools];
    const turn = query({
      ...{ session, provider, tools, signal },
      prompt: dreamPrompt({ todayIso: new Date(nowMs).toISOString().slice(0, 10), sessions: sessions.length }),
      maxRounds: session.settings().settings["dream.rounds"],
    });
    for (;;) {
      const { done, value } = await turn.next();
      if (done === true) {
        if (value.kind === "failed") throw value.error;
        return;
      }
      if (value.kind === "response") {
        const { text, calls } = value.response;
        own.turn({ text, calls: calls.map(({ name }) => name) });
      }
    }
  };
  return memory.batch("dream", "Go over the memory", act, () => "staged");
}

/** Behind the lease: a holder that was fenced off writes nothing. */
async function install<Request, Response>(
  { memory, lease }: DreamOptions<Request, Response>,
  steps: readonly BatchStep[],
): Promise<DreamOutcome> {
  const guarded = await lease.guard(() => applySteps(memory, steps));
  if (guarded.kind === "lost") return { kind: "lost", why: "another process has taken the lease" };
  const outcome = guarded.value;
  if (outcome.kind === "refused") return { kind: "failed", why: outcome.why };
  return outcome;
}

function whyOf(outcome: BatchOutcome): string {
  if (outcome.kind === "refused") return outcome.why;
  return outcome.kind === "stale" ? `these were changed meanwhile: ${outcome.slugs.join(", ")}` : outcome.kind;
}
