import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openCoordination, systemProcesses } from "@palimpsest/coordination";
import { inTemporaryFolder } from "../temporary-folder.ts";
import type { RacerPlan, Round, RoundReport } from "./lease-process.ts";
import { countDoubleOwners, readTestimonies } from "./lease-witness.ts";

export interface RaceOptions {
  readonly rounds: number;
  readonly processes: number;
  readonly say: (text: string) => void;
}

export interface RaceFindings {
  readonly lease_rounds: number;
  readonly lease_processes: number;
  readonly double_owners: number;
  /** Rounds in which nobody got the lease that a dead process had left. */
  readonly lease_rounds_without_owner: number;
  readonly lease_takes: number;
  readonly lease_reclaimed_gone: number;
  readonly lease_reclaimed_silent: number;
  readonly lease_late_writes_refused: number;
  /** The same writes without the guard, checked just before: what there was to refuse. */
  readonly lease_late_writes_unguarded: number;
  /** What a gate costs: reading when work was last done, from the file. */
  readonly lease_read_us: number;
}

const YEARS_MS = 10 * 365 * 86_400_000;
const ROUND_MS = 50;
const SILENT_AFTER_MS = 25;

/**
 * Processes race for a lease that a dead one left behind, whose number another program has now. They are stopped and woken
 * at random, their clocks are years apart and jump, every fourth one cannot see who is alive, and some holders fall
 * silent. Who held the lease is told by files that know nothing of it.
 */
export async function raceLeases({ rounds, processes, say }: RaceOptions): Promise<RaceFindings> {
  say(`${processes} processes race for a lease, ${rounds} rounds with pauses, clock jumps and reused process ids ...`);
  return inTemporaryFolder(async (folder) => {
    const file = join(folder, "home.sqlite");
    const racers = Array.from({ length: processes }, (_, index) =>
      startRacer({
        file,
        process: index,
        clockOffsetMs: (index - processes / 2) * YEARS_MS,
        clockJumpMs: index % 2 === 1 ? YEARS_MS : 0,
        processes: index % 4 === 3 ? "untold" : "told",
        silentAfterMs: SILENT_AFTER_MS,
      }),
    );
    // The dead one bore the number that this process has now.
    const system = systemProcesses();
    const dead = await openCoordination({
      file,
      processes: { ...system, self: { ...system.self, started: "long ago" } },
    });
    const total: RoundReport = { takes: 0, reclaimedGone: 0, reclaimedSilent: 0, refused: 0 };
    let double = 0;
    let unguardedLate = 0;
    let ownerless = 0;
    try {
      await Promise.all(racers.map((racer) => once(racer, "message")));
      const pausing = pauseAtRandom(racers);
      for (let index = 0; index < rounds; index++) {
        const name = `round-${index}`;
        const [witness, unguarded] = [join(folder, name), join(folder, `${name}-unguarded`)];
        await dead.leases.take(name, { owner: "the dead one" });
        const reports = await Promise.all(
          racers.map((racer) => run(racer, { name, witness, unguarded, forMs: ROUND_MS })),
        );
        for (const report of reports)
          for (const key of Object.keys(total) as (keyof RoundReport)[]) total[key] += report[key];
        if (reports.every(({ takes }) => takes === 0)) ownerless++;
        double += countDoubleOwners(await testimoniesIn(witness));
        unguardedLate += countDoubleOwners(await testimoniesIn(unguarded));
      }
      await pausing.stop();
      return {
        lease_rounds: rounds,
        lease_processes: processes,
        double_owners: double,
        lease_rounds_without_owner: ownerless,
        lease_takes: total.takes,
        lease_reclaimed_gone: total.reclaimedGone,
        lease_reclaimed_silent: total.reclaimedSilent,
        lease_late_writes_refused: total.refused,
        lease_late_writes_unguarded: unguardedLate,
        lease_read_us: await timeRead(() => dead.leases.read("round-0")),
      };
    } finally {
      for (const racer of racers) racer.kill("SIGKILL");
      await dead.close();
    }
  });
}

function startRacer(options: RacerPlan): ChildProcess {
  const script = fileURLToPath(new URL("./lease-process.ts", import.meta.url));
  return fork(script, [JSON.stringify(options)], { execArgv: ["--conditions=palimpsest-source", "--no-warnings"] });
}

async function run(racer: ChildProcess, round: Round): Promise<RoundReport> {
  const [gone, answer] = [new AbortController(), once(racer, "message")];
  const ended = once(racer, "exit", { signal: gone.signal }).then(
    ([code]) => Promise.reject(new Error(`a racing process ended with ${code}`)),
    () => new Promise<never>(() => {}),
  );
  racer.send(round);
  try {
    const [report] = (await Promise.race([answer, ended])) as [RoundReport];
    return report;
  } finally {
    gone.abort();
  }
}

function pauseAtRandom(racers: readonly ChildProcess[]): { stop(): Promise<void> } {
  let state: "pausing" | "over" = "pausing";
  const pausing = (async () => {
    while (state === "pausing") {
      const victim = racers[Math.floor(Math.random() * racers.length)]!;
      victim.kill("SIGSTOP");
      await sleep(Math.random() * 60);
      victim.kill("SIGCONT");
      await sleep(Math.random() * 20);
    }
  })();
  return {
    stop() {
      state = "over";
      return pausing;
    },
  };
}

async function testimoniesIn(file: string): Promise<ReturnType<typeof readTestimonies>> {
  return readTestimonies(await readFile(file, "utf8").catch(() => ""));
}

/** The median of many, in microseconds. */
async function timeRead(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 2_000; index++) {
    const startMs = performance.now();
    await read();
    times.push((performance.now() - startMs) * 1_000);
  }
  return Math.round(times.sort((left, right) => left - right)[1_000]!);
}
