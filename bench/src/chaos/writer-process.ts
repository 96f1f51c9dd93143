/**
 * A process that writes to one session until it is killed. Every acknowledged entry is told on standard output, one line
 * each, after the append has resolved and not before: what was told must never be lost.
 *
 * Arguments: folder, session, and as JSON the terms of `WriterPlan`.
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Draft, sealEntries, sha256 } from "palimpsest/core";
import { sqliteStore } from "palimpsest/sqlite-store";
import { takeLog } from "./open-log.ts";

export interface WriterPlan {
  readonly owner: string;
  /** How far this process's clock is off, and how far it jumps at random. */
  readonly clockOffsetMs: number;
  readonly clockJumpMs: number;
  /** The longest pause between two appends. */
  readonly pauseMs: number;
  readonly largestPayload: number;
  /** Stop after this many appends that another writer refused. */
  readonly takeovers: number;
}

/** One line of output: an entry that the store has acknowledged. */
export interface Acknowledged {
  readonly sequence: number;
  readonly hash: string;
  readonly fence: number;
}

const [folder = "", session = "", plan = "{}"] = process.argv.slice(2);
await write(JSON.parse(plan) as WriterPlan);

async function write(options: WriterPlan): Promise<void> {
  const jump = (): number => (Math.random() - 0.5) * 2 * options.clockJumpMs;
  const clock = { now: () => Date.now() + options.clockOffsetMs + jump() };
  const store = sqliteStore({ folder, clock });
  for (let round = 0; round <= options.takeovers; round++) {
    const writer = await takeLog(store, session, options.owner);
    let head = await writer.head();
    for (;;) {
      const count = 1 + Math.floor(Math.random() * 4);
      const drafts = Array.from({ length: count }, (): Draft => {
        const text = "x".repeat(Math.floor(Math.random() * options.largestPayload));
        return { kind: "message", version: 1, payload: JSON.stringify({ fence: writer.fence, text }) };
      });
      const entries = sealEntries(drafts, { head, atMs: Date.now(), digest: sha256 });
      const result = await writer.append(entries);
      if (result.kind !== "appended") break;
      head = result.head;
      for (const { sequence, hash } of entries) emit({ sequence, hash, fence: writer.fence });
      if (options.pauseMs > 0) await sleep(Math.random() * options.pauseMs);
    }
  }
  await store.close();
}

function emit(acknowledged: Acknowledged): void {
  writeSync(1, `${JSON.stringify(acknowledged)}\n`);
}
