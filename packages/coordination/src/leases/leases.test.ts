import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Processes } from "palimpsest/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Coordination } from "../coordination.ts";
import { openCoordination } from "../open-coordination.ts";
import { keepLease } from "./keep-lease.ts";
import type { Lease } from "./lease.ts";

const MINUTE_MS = 60_000;
let folder: string;
let file: string;
let machine: Machine;
const homes: Coordination[] = [];

/** A machine with a table of processes and two clocks, which homes are opened on. */
interface Machine {
  nowMs: number;
  ticksMs: number;
  readonly table: Map<number, string>;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "leases-"));
  file = join(folder, "home.sqlite");
  machine = { nowMs: 1_800_000_000_000, ticksMs: 5_000, table: new Map() };
});
afterEach(async () => {
  for (const coordination of homes.splice(0)) await coordination.close();
  rmSync(folder, { recursive: true });
});

async function startProcess(pid: number, started = `start ${pid}`, realm = "realm"): Promise<Coordination> {
  machine.table.set(pid, started);
  const processes: Processes = {
    self: { pid, started, realm },
    find: (wanted) => {
      const found = machine.table.get(wanted);
      return found === undefined ? { kind: "absent" } : { kind: "running", started: found };
    },
    ticksMs: () => machine.ticksMs,
  };
  const coordination = await openCoordination({ file, host: "here", processes, clock: { now: () => machine.nowMs } });
  homes.push(coordination);
  return coordination;
}
async function take(coordination: Coordination, owner = "session"): Promise<Lease> {
  const result = await coordination.leases.take("dream", { owner });
  if (result.kind === "held") throw new Error(`held by ${result.by.owner}`);
  return result.lease;
}
const pass = (ms: number): void => {
  machine.nowMs += ms;
  machine.ticksMs += ms;
};

describe("what becomes of a holder", () => {
  test("one whose process is gone loses it at once", async () => {
    const [one, two] = [await startProcess(1), await startProcess(2)];
    await take(one, "session A");
    machine.table.delete(1);
    const taken = await take(two);
    expect(taken.generation).toBe(2);
    expect(taken.reclaimed).toMatchObject({ because: "gone", from: { owner: "session A", pid: 1 } });
  });

  test("one whose number another program has now loses it at once", async () => {
    const [one, two] = [await startProcess(1), await startProcess(2)];
    await take(one);
    machine.table.set(1, "a later start");
    expect((await take(two)).reclaimed?.because).toBe("gone");
  });

  test("a wall clock that jumps takes nothing from a holder of the same realm", async () => {
    const [one, two] = [await startProcess(1), await startProcess(2)];
    const lease = await take(one);
    for (const years of [10, -20]) {
      machine.nowMs += years * 365 * 86_400_000;
      expect((await two.leases.take("dream", { owner: "B" })).kind).toBe("held");
    }
    expect(await lease.check()).toBe("held");
  });

  test("a holder of another realm is believed by the wall clock, and a clock that was years ahead holds nothing for years", async () => {
    const [one, two] = [await startProcess(1), await startProcess(2, "start 2", "another container")];
    machine.nowMs += 10 * 365 * 86_400_000;
    await take(one);
    // It cannot see process 1 at all, and does not take that for an end.
    machine.table.delete(1);
    expect((await two.leases.take("dream", { owner: "B" })).kind).toBe("held");
    machine.nowMs -= 10 * 365 * 86_400_000;
    expect((await take(two)).reclaimed?.because).toBe("silent");
  });
});

describe("a lease that was lost", () => {
  test("a file that was made anew begins its generations again, and fences all the same", async () => {
    const [one, two] = [await startProcess(1), await startProcess(2)];
    const late = await take(one);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix);
    expect((await take(two)).generation).toBe(late.generation);
    expect(await late.guard(() => 1)).toEqual({ kind: "lost" });
  });
});

describe("the time of the last work", () => {
  test("stays what it was when the process dies, and when its home is closed", async () => {
    const [one, two] = [await startProcess(1), await startProcess(2)];
    await (await take(two)).finish("done");
    const before = await two.leases.read("dream");
    pass(MINUTE_MS);
    await take(one);
    machine.table.delete(1);
    const lease = await take(two);
    expect(lease.lastDoneAtMs).toBe(before.lastDoneAtMs);
    await two.close();
    const three = await startProcess(3);
    expect(await three.leases.read("dream")).toEqual(before);
    expect((await take(three)).reclaimed).toBeUndefined();
  });
});

test("a clock that is turned back does not stop the looks for work until the date comes round again", async () => {
  const { leases } = await startProcess(1);
  await leases.touch("dream", { everyMs: 10 * MINUTE_MS });
  machine.nowMs -= 365 * 86_400_000;
  expect(await leases.touch("dream", { everyMs: 10 * MINUTE_MS })).toBe("touched");
});

test("the database itself refuses to give a generation twice", async () => {
  await take(await startProcess(1));
  const database = new DatabaseSync(file);
  expect(() => database.exec("DELETE FROM lease")).toThrow("never deleted");
  expect(() => database.exec("UPDATE lease SET generation = 0")).toThrow("never falls");
  database.close();
});

describe("keepLease", () => {
  test("renews until it is stopped", async () => {
    const coordination = await startProcess(1);
    const lease = await take(coordination);
    const kept = keepLease(lease, { everyMs: 10 });
    const renewedAtMs = async () => (await coordination.leases.read("dream")).holder?.renewedAtMs;
    pass(MINUTE_MS);
    await expect.poll(renewedAtMs).toBe(machine.nowMs);
    kept.stop();
    // One that was under way has ended by then.
    await sleep(50);
    pass(MINUTE_MS);
    await sleep(50);
    expect(await renewedAtMs()).toBe(machine.nowMs - MINUTE_MS);
    expect(kept.signal.aborted).toBe(false);
  });

  test("aborts the work when the lease is lost", async () => {
    const [one, two] = [await startProcess(1), await startProcess(2)];
    const lease = await take(one);
    pass(6 * MINUTE_MS);
    await take(two);
    const kept = keepLease(lease, { everyMs: 5 });
    await new Promise((resolve) => kept.signal.addEventListener("abort", resolve));
    expect(String(kept.signal.reason)).toContain("dream (generation 1) was taken by another process");
  });

  test("does not take a failed renewal for a loss", async () => {
    const kept = keepLease(
      { name: "n", generation: 1, renew: () => Promise.reject(new Error("full")) },
      { everyMs: 5 },
    );
    await sleep(40);
    expect(kept.signal.aborted).toBe(false);
    kept.stop();
  });
});
