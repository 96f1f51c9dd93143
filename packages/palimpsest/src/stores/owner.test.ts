import { spawn } from "node:child_process";
import { once } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  elapsedMs,
  type FoundProcess,
  type Owner,
  type Place,
  processState,
  silenceMs,
  systemProcesses,
  thisProcess,
} from "./owner.ts";

const NOW_MS = 1_800_000_000_000;
const YEARS_MS = 10 * 365 * 86_400_000;

interface PlaceOptions {
  readonly host?: string;
  readonly realm?: string;
  readonly found?: FoundProcess;
  readonly nowMs?: number;
  readonly ticksMs?: number;
}
function placeOf({ host = "here", realm, found, nowMs = NOW_MS, ticksMs = 1_000 }: PlaceOptions = {}): Place {
  return {
    host,
    clock: { now: () => nowMs },
    processes: {
      self: { pid: 1, started: "s1", ...(realm === undefined ? {} : { realm }) },
      find: () => found ?? { kind: "unknown" },
      ticksMs: () => ticksMs,
    },
  };
}
const currentOwner: Owner = {
  host: "here",
  pid: 7,
  started: "100",
  realm: "r",
  renewedAtMs: NOW_MS,
  renewedTicksMs: 1_000,
};

describe("processState", () => {
  test.each([
    ["the process id is free", { realm: "r", found: { kind: "absent" } }, "gone"],
    ["another process has the process id", { realm: "r", found: { kind: "running", started: "200" } }, "gone"],
    ["the process runs", { realm: "r", found: { kind: "running", started: "100" } }, "running"],
    ["the system has no information", { realm: "r", found: { kind: "unknown" } }, "unknown"],
    ["the owner is on another machine", { host: "there", realm: "r", found: { kind: "absent" } }, "unknown"],
    ["the owner is in another container or an earlier boot", { realm: "q", found: { kind: "absent" } }, "unknown"],
    ["only the owner has a realm", { found: { kind: "absent" } }, "unknown"],
  ] as const)("returns its result if %s", (_, terms, expected) => {
    expect(processState(currentOwner, placeOf(terms))).toBe(expected);
  });

  test("is gone or unknown if the system only knows process ids", () => {
    const { started: _, realm: __, ...numbered } = currentOwner;
    expect(processState(numbered, placeOf({ found: { kind: "absent" } }))).toBe("gone");
    expect(processState(numbered, placeOf({ found: { kind: "running", started: "100" } }))).toBe("unknown");
  });
});

describe("silenceMs", () => {
  test("ignores wall clocks within a realm", () => {
    fc.assert(
      fc.property(fc.integer({ min: -YEARS_MS, max: YEARS_MS }), fc.nat(600_000), (jumpMs, passedMs) => {
        const place = placeOf({ realm: "r", nowMs: NOW_MS + jumpMs, ticksMs: 1_000 + passedMs });
        expect(silenceMs(currentOwner, place)).toBe(passedMs);
      }),
    );
  });

  test("treats a clock that was years ahead like one that was years behind", () => {
    for (const jumpMs of [-YEARS_MS, YEARS_MS])
      expect(silenceMs(currentOwner, placeOf({ realm: "q", nowMs: NOW_MS + jumpMs, ticksMs: 1_000 }))).toBe(YEARS_MS);
    expect(silenceMs(currentOwner, placeOf({ host: "there", realm: "r", nowMs: NOW_MS + 5, ticksMs: 9_999 }))).toBe(5);
    const { realm: _, ...unplaced } = currentOwner;
    expect(silenceMs(unplaced, placeOf({ nowMs: NOW_MS + 5, ticksMs: 9_999 }))).toBe(5);
  });
});

test("thisProcess describes a running process without silence", () => {
  const place = placeOf({ realm: "r", found: { kind: "running", started: "s1" } });
  const here = thisProcess(place);
  expect([processState(here, place), silenceMs(here, place)]).toEqual(["running", 0]);
});

test("elapsedMs treats a missing date and a future date as long ago", () => {
  expect(elapsedMs(undefined, 5)).toBe(Number.POSITIVE_INFINITY);
  expect(elapsedMs(6, 5)).toBe(Number.POSITIVE_INFINITY);
  expect(elapsedMs(2, 5)).toBe(3);
});

const onLinux = process.platform === "linux";

test("systemProcesses finds this process", () => {
  const { self, find } = systemProcesses();
  expect(self.pid).toBe(process.pid);
  if (onLinux) expect(find(self.pid)).toEqual({ kind: "running", started: self.started });
  else expect(find(self.pid)).toEqual({ kind: "unknown" });
});

test("systemProcesses reports a zombie as absent", async () => {
  // The shell's child ends at once. The shell is stopped, so it does not collect the exit status.
  const child = spawn("sh", ["-c", "true & echo $!; kill -STOP $$; wait"], { stdio: ["ignore", "pipe", "inherit"] });
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  const grandchild = Number(chunk.toString());
  const { find } = systemProcesses();
  if (onLinux) await expect.poll(() => find(grandchild)).toEqual({ kind: "absent" });
  expect(find(child.pid!).kind).not.toBe("absent");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(find(child.pid!)).toEqual({ kind: "absent" });
});

test("ticksMs is the same in two processes of a realm, and never decreases", async () => {
  const { ticksMs, self } = systemProcesses();
  const before = ticksMs();
  const module = new URL("./owner.ts", import.meta.url).href;
  const script = `const { systemProcesses } = await import(${JSON.stringify(module)});
    const { self, ticksMs } = systemProcesses(); console.log(JSON.stringify([self.realm ?? null, ticksMs()]));`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", script]);
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  const [realm, ticks] = JSON.parse(chunk.toString()) as [string | null, number];
  const after = ticksMs();
  expect(after).toBeGreaterThanOrEqual(before);
  expect(realm).toBe(self.realm ?? null);
  if (!onLinux) return;
  expect(ticks).toBeGreaterThanOrEqual(before);
  expect(ticks).toBeLessThanOrEqual(after);
});
