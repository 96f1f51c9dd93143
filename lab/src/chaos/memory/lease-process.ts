/**
 * A process that races for leases, round by round, as it is told by its parent. While it believes that it holds the lease
 * it testifies to a file, through the lease's guard; and, to see that there is something to guard against, to another file
 * without it.
 *
 * Argument: as JSON the terms of `RacerPlan`.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Coordination, type Lease, openCoordination, systemProcesses } from "@palimpsest/coordination";
import type { Testimony } from "./lease-witness.ts";

export interface RacerPlan {
  readonly file: string;
  readonly process: number;
  /** How far this process's clock is off, and how far it jumps at random. */
  readonly clockOffsetMs: number;
  readonly clockJumpMs: number;
  /** `told`: the system tells of processes. `untold`: it does not, and only the clocks are left to judge by. */
  readonly processes: "told" | "untold";
  readonly silentAfterMs: number;
}

export interface Round {
  readonly name: string;
  readonly forMs: number;
  readonly witness: string;
  readonly unguarded: string;
}

export interface RoundReport {
  takes: number;
  /** From a process that was gone, and from one that had been silent. */
  reclaimedGone: number;
  reclaimedSilent: number;
  /** Writes of a holder that had lost the lease. */
  refused: number;
}

const options = JSON.parse(process.argv[2] ?? "{}") as RacerPlan;
const coordination = await open(options);
process.on("message", async (round: Round) => process.send?.(await race(round, coordination)));
process.on("disconnect", () => process.exit());
process.send?.("ready");

function open({ file, clockOffsetMs, clockJumpMs, processes, silentAfterMs }: RacerPlan): Promise<Coordination> {
  const jump = (): number => (Math.random() - 0.5) * 2 * clockJumpMs;
  const system = systemProcesses();
  return openCoordination({
    file,
    silentAfterMs,
    clock: { now: () => Date.now() + clockOffsetMs + jump() },
    processes:
      processes === "told"
        ? system
        : { ...system, self: { pid: process.pid }, find: () => ({ kind: "unknown" as const }) },
  });
}

async function race(round: Round, { leases }: Coordination): Promise<RoundReport> {
  const report: RoundReport = { takes: 0, reclaimedGone: 0, reclaimedSilent: 0, refused: 0 };
  const endsAtMs = performance.now() + round.forMs;
  while (performance.now() < endsAtMs) {
    const result = await leases.take(round.name, { owner: `process ${options.process}` });
    if (result.kind === "taken") {
      report.takes++;
      if (result.lease.reclaimed?.because === "gone") report.reclaimedGone++;
      if (result.lease.reclaimed?.because === "silent") report.reclaimedSilent++;
      report.refused += await work(result.lease, round);
      // Some end without a word.
      if (Math.random() < 0.8) await result.lease.finish(Math.random() < 0.5 ? "done" : "failed");
    }
    await pause(3);
  }
  return report;
}

/** Returns how many writes were refused. */
async function work(lease: Lease, { witness, unguarded }: Round): Promise<number> {
  const testify = (file: string, what: Testimony["what"]): void =>
    appendFileSync(
      file,
      `${JSON.stringify({ generation: lease.generation, process: options.process, what } satisfies Testimony)}\n`,
    );
  const testifyUnguarded = (): void => {
    testify(unguarded, "begin");
    testify(unguarded, "end");
  };
  let refused = 0;
  testifyUnguarded();
  for (let write = 0; write < 3; write++) {
    await pause(3);
    if (Math.random() < 0.3) await lease.renew();
    const guarded = await lease.guard(async () => {
      testify(witness, "begin");
      await pause(1);
      testify(witness, "end");
    });
    if (guarded.kind === "lost") refused++;
    if ((await lease.check()) === "lost") continue;
    await pause(3);
    testifyUnguarded();
  }
  return refused;
}

function pause(atMostMs: number): Promise<void> {
  return sleep(Math.random() * atMostMs);
}
