import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { collectResults } from "./collect-results.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 1_000 * DAY_MS;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "collect-results-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Results of a session whose newest is so old. */
function store(session: string, ageDays: number, bytes = 100): void {
  const at = join(folder, "tool-results", session);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, "old.txt"), "x".repeat(bytes / 2));
  writeFileSync(join(at, "new.txt"), "x".repeat(bytes / 2));
  const seconds = (NOW_MS - ageDays * DAY_MS) / 1_000;
  utimesSync(join(at, "old.txt"), seconds - 9_999_999, seconds - 9_999_999);
  utimesSync(join(at, "new.txt"), seconds, seconds);
  utimesSync(at, seconds, seconds);
}

const left = (): string[] => readdirSync(join(folder, "tool-results")).sort();

test("what is too old goes, by the newest of each session; live sessions keep theirs", async () => {
  store("young", 29);
  store("old", 31);
  store("+live", 400);
  const collected = await collectResults(folder, { liveSessions: ["Live"], nowMs: NOW_MS });
  expect(collected).toEqual({ removed: [{ name: "old", bytes: 100, why: "age" }], keptBytes: 200, failures: [] });
  expect(left()).toEqual(["+live", "young"]);
});

test("what is too much goes, the oldest first, until the rest fits", async () => {
  for (const [session, age] of [
    ["a", 3],
    ["b", 4],
    ["c", 2],
    ["d", 5],
  ] as const)
    store(session, age);
  const options = { liveSessions: ["d"], nowMs: NOW_MS, maxBytes: 250 };
  const { removed, keptBytes } = await collectResults(folder, options);
  expect(removed.map(({ name, why }) => [name, why])).toEqual([
    ["b", "size"],
    ["a", "size"],
  ]);
  expect(keptBytes).toBe(200);
  expect(left()).toEqual(["c", "d"]);
});

test("a link leads nowhere, and without results there is nothing to do", async () => {
  expect(await collectResults(folder, { liveSessions: [], nowMs: NOW_MS })).toMatchObject({
    removed: [],
    keptBytes: 0,
  });
  const outside = join(folder, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "precious"), "x");
  mkdirSync(join(folder, "tool-results"));
  symlinkSync(outside, join(folder, "tool-results", "link"));
  await collectResults(folder, { liveSessions: [], nowMs: Number.MAX_SAFE_INTEGER, maxBytes: 0 });
  expect(existsSync(join(outside, "precious"))).toBe(true);
});
