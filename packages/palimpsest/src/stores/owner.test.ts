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

interface RequestLimits {
  readonly host?: string;
  readonly realm?: string;
  readonly found?: FoundProcess;
  readonly nowMs?: number;
  readonly ticksMs?: number;
}
function placeOf({ host = "here", realm, found, nowMs = NOW_MS, ticksMs = 1_000 }: RequestLimits = {}): Place {
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
    ["nobody has its number", { realm: "r", found: { kind: "absent" } }, "gone"],
    ["somebody else has its number", { realm: "r", found: { kind: "running", started: "200" } }, "gone"],
    ["it runs", { realm: "r", found: { kind: "running", started: "100" } }, "running"],
    ["the system does not say", { realm: "r", found: { kind: "unknown" } }, "unknown"],
    ["another machine", { host: "there", realm: "r", found: { kind: "absent" } }, "unknown"],
    ["another container, or the machine was started anew", { realm: "q", found: { kind: "absent" } }, "unknown"],
    ["a system without realms, asked of one that had one", { found: { kind: "absent" } }, "unknown"],
  ] as const)("%s", (_, terms, expected) => {
    expect(processState(currentOwner, placeOf(terms))).toBe(expected);
  });

  test("a system that knows numbers only can tell that one is absent, and nothing else", () => {
    const { started: _, realm: __, ...numbered } = currentOwner;
    expect(processState(numbered, placeOf({ found: { kind: "absent" } }))).toBe("gone");
    expect(processState(numbered, placeOf({ found: { kind: "running", started: "100" } }))).toBe("unknown");
  });
});

describe("silenceMs", () => {
  test("within a realm no wall clock matters", () => {
    fc.assert(
      fc.property(fc.integer({ min: -YEARS_MS, max: YEARS_MS }), fc.nat(600_000), (jumpMs, passedMs) => {
        const place = placeOf({ realm: "r", nowMs: NOW_MS + jumpMs, ticksMs: 1_000 + passedMs });
        expect(silenceMs(currentOwner, place)).toBe(passedMs);
      }),
    );
  });

  test("elsewhere a clock that was years ahead is as far away as one that was years behind", () => {
    for (const jumpMs of [-YEARS_MS, YEARS_MS])
      expect(silenceMs(currentOwner, placeOf({ realm: "q", nowMs: NOW_MS + jumpMs, ticksMs: 1_000 }))).toBe(YEARS_MS);
    expect(silenceMs(currentOwner, placeOf({ host: "there", realm: "r", nowMs: NOW_MS + 5, ticksMs: 9_999 }))).toBe(5);
    const { realm: _, ...unplaced } = currentOwner;
    expect(silenceMs(unplaced, placeOf({ nowMs: NOW_MS + 5, ticksMs: 9_999 }))).toBe(5);
  });
});

test("a holder that is heard of now is not silent, and known again", () => {
  const place = placeOf({ realm: "r", found: { kind: "running", started: "s1" } });
  const here = thisProcess(place);
  expect([processState(here, place), silenceMs(here, place)]).toEqual(["running", 0]);
});

test("a date that never was, and one in the future, are both long ago", () => {
  expect(elapsedMs(undefined, 5)).toBe(Number.POSITIVE_INFINITY);
  expect(elapsedMs(6, 5)).toBe(Number.POSITIVE_INFINITY);
  expect(elapsedMs(2, 5)).toBe(3);
});

const onLinux = process.platform === "linux";

test("knows this process again", () => {
  const { self, find } = systemProcesses();
  expect(self.pid).toBe(process.pid);
  if (onLinux) expect(find(self.pid)).toEqual({ kind: "running", started: self.started });
  else expect(find(self.pid)).toEqual({ kind: "unknown" });
});

test("a process that has ended is absent, also before its parent has asked for it", async () => {
  // The shell's child ends at once, and the shell, stopped, does not ask.
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

test("ticks are the same in two processes of a realm, and never run back", async () => {
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
