/**
 * A process that writes to one session until it is killed. Every acknowledged entry is told on standard output, one line
 * each, after the append has resolved and not before: what was told must never be lost.
 *
 * Arguments: the place as JSON, session, and as JSON the terms of `WriterPlan`.
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "palimpsest";
import { type Draft, sealEntries, sha256 } from "palimpsest/store-parts";
import { type LogPlace, openStore, takeLog } from "./open-log.ts";

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
  /** `reopen`: after a failed append the log is opened again, as a service would, since nobody knows what became of it. */
  readonly failures: "throw" | "reopen";
}

/** One line of output: an entry that the store has acknowledged. */
export interface Acknowledged {
  readonly sequence: number;
  readonly hash: string;
  readonly fence: number;
}

/** Another line: an append was refused as out of order, by a log that this process had just read. */
export interface OutOfOrder {
  readonly outOfOrder: number;
}

const [place = "{}", session = "", plan = "{}"] = process.argv.slice(2);
await write(JSON.parse(plan) as WriterPlan);

async function write(options: WriterPlan): Promise<void> {
  const jump = (): number => (Math.random() - 0.5) * 2 * options.clockJumpMs;
  const clock = { now: () => Date.now() + options.clockOffsetMs + jump() };
  const store = openStore(JSON.parse(place) as LogPlace, clock);
  for (let round = 0; round <= options.takeovers; round++) {
    try {
      await writeUntilRefused(store, options);
    } catch (error) {
      if (options.failures === "throw") throw error;
      await sleep(20);
    }
  }
  await store.close();
}

async function writeUntilRefused(store: Store, options: WriterPlan): Promise<void> {
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
    if (result.kind === "out-of-order") emit({ outOfOrder: writer.fence });
    if (result.kind !== "appended") return;
    head = result.head;
    for (const { sequence, hash } of entries) emit({ sequence, hash, fence: writer.fence });
    if (options.pauseMs > 0) await sleep(Math.random() * options.pauseMs);
  }
}

function emit(line: Acknowledged | OutOfOrder): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
