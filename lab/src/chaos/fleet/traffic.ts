import { setTimeout as wait } from "node:timers/promises";
import { say } from "@palimpsest/fleet";
import { insist, waitUntil } from "./insist.ts";
import { type Job, jobText } from "./job.ts";
import type { Place } from "./place.ts";

/** Sessions whose users say something whenever the turn before is over, and a person who answers questions. */
export interface Traffic {
  /** What was said so far, and stored. */
  readonly jobs: readonly Job[];
  /** Says nothing more, and waits for what runs. Whether all came to rest in time. */
  finish(withinMs: number): Promise<"at rest" | "not at rest">;
}

export interface TrafficOptions {
  /** @default "s" */
  readonly prefix?: string;
  /** Sessions that are spoken to at the same time. */
  readonly sessions: number;
  /** After so many turns a session is left, and another one begins. */
  readonly turnsEach: number;
  readonly turnsPerSecond: number;
}

/** What sessions of each kind do in a turn. The last kind says so much that its conversations are compacted. */
const KINDS: readonly { readonly rounds: Job["rounds"]; readonly filler: string }[] = [
  { rounds: [["look"], ["act", "pay"]], filler: "" },
  { rounds: [["act"], ["pay"]], filler: "" },
  { rounds: [["refund"], ["act"]], filler: "" },
  { rounds: [["look", "pay"]], filler: "The loader in src/load.ts reads the file. ".repeat(400) },
];
const ROUND_MS = 100;

export function startTraffic({ dispatch, busy }: Pick<Place, "dispatch" | "busy">, options: TrafficOptions): Traffic {
  const { prefix = "s", sessions, turnsEach, turnsPerSecond } = options;
  const { inbox, approvals } = dispatch;
  const jobs: Job[] = [];
  const active = new Map<string, number>();
  const ending = new AbortController();
  let begun = 0;
  let credit = 0;

  async function answerAll(): Promise<ReadonlySet<string>> {
    const { questions } = await insist(() => approvals.pending({ limit: 500 }));
    for (const { sessionId, callId } of questions)
      await insist(() => approvals.answer(sessionId, callId, { decision: "allow", by: "Ada" }));
    return new Set(questions.map(({ sessionId }) => sessionId));
  }

  /** In this order: a run that asks a person and ends between the two looks is seen by the second. */
  async function look() {
    const running = new Map((await busy()).map(({ session, state }) => [session, state]));
    return { running, asked: await answerAll() };
  }

  async function sayNext(session: string, turn: number): Promise<void> {
    const { rounds, filler } = KINDS[Number(session.slice(prefix.length)) % KINDS.length]!;
    const job: Job = { session, turn, rounds };
    await insist(() => say(inbox, session, { key: `turn ${turn}`, content: jobText(job, filler) }));
    jobs.push(job);
  }

  async function speak(): Promise<void> {
    while (!ending.signal.aborted) {
      const { running, asked } = await look();
      credit = Math.min(credit + (turnsPerSecond * ROUND_MS) / 1_000, turnsPerSecond);
      while (active.size < sessions) active.set(`${prefix}${begun++}`, 0);
      for (const [session, turns] of [...active]) {
        if (credit < 1) break;
        if (running.has(session) || asked.has(session)) continue;
        active.delete(session);
        if (turns === turnsEach) continue;
        credit--;
        // Behind the others, so that all are spoken to.
        active.set(session, turns + 1);
        await sayNext(session, turns + 1);
      }
      await wait(ROUND_MS);
    }
  }

  const speaking = speak();
  // Told when it is waited for.
  speaking.catch(() => undefined);
  return {
    jobs,
    async finish(withinMs) {
      ending.abort();
      await speaking;
      const isAtRest = await waitUntil(async () => {
        const { running, asked } = await look();
        return asked.size === 0 && [...running.values()].every((state) => state === "set-aside");
      }, withinMs);
      return isAtRest ? "at rest" : "not at rest";
    },
  };
}
