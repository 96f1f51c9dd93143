import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openCommandTimes } from "./command-times.ts";

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-times-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, file: join(folder, "own", "times.log") };
}

test("what changed while a command ran is told from what changed before and after, in another process too", async () => {
  const { file } = setUp();
  let nowMs = 10_000;
  const times = openCommandTimes(file, () => nowMs);
  const end = await times.begin();
  nowMs = 20_000;
  await end();
  nowMs = 90_000;
  const again = openCommandTimes(file, () => nowMs);
  const asked = [9_000, 10_000, 15_000, 20_010, 21_000].map((at) => again.covers(at));
  expect(await Promise.all(asked)).toEqual([false, true, true, true, false]);
});

test("a command whose end nobody noted may have run until now", async () => {
  const { file } = setUp();
  await openCommandTimes(file, () => 1_000).begin();
  const later = openCommandTimes(file, () => 9_000);
  expect([await later.covers(500), await later.covers(5_000)]).toEqual([false, true]);
});

test("a file that is long is written anew, and covers no less", async () => {
  const { file } = setUp();
  let nowMs = 0;
  const times = openCommandTimes(file, () => nowMs);
  for (let index = 0; index < 1_500; index++) {
    nowMs += 1_000;
    const end = await times.begin();
    nowMs += 100;
    await end();
  }
  nowMs += 1_000_000;
  const before = statSync(file).size;
  expect(await times.covers(1_050)).toBe(true);
  expect(statSync(file).size).toBeLessThan(before / 100);
  expect([await times.covers(1_050), await times.covers(nowMs)]).toEqual([true, false]);
  expect(readFileSync(file, "utf8")).toMatch(/^begin old-0 1000\nend old-0 \d+\n$/);
});

test("a command cannot set back the time that counts", async () => {
  const { folder, file } = setUp();
  const times = openCommandTimes(file);
  const end = await times.begin();
  const changed = join(folder, "AGENTS.md");
  writeFileSync(changed, "x");
  utimesSync(changed, 1, 1);
  await end();
  expect(await times.covers(statSync(changed).ctimeMs)).toBe(true);
});
