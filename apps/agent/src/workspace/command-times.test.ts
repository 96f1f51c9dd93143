import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { systemProcesses } from "palimpsest/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openCommandTimes } from "./command-times.ts";

const placeAt = (now: () => number) => ({ host: hostname(), processes: systemProcesses(), clock: { now } });

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-times-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, file: join(folder, "own", "times.log") };
}

test("distinguishes changes during a command from earlier and later ones, even across processes", async () => {
  const { file } = setUp();
  let nowMs = 10_000;
  const times = openCommandTimes(
    file,
    placeAt(() => nowMs),
  );
  const end = await times.begin();
  nowMs = 20_000;
  await end();
  nowMs = 90_000;
  const again = openCommandTimes(
    file,
    placeAt(() => nowMs),
  );
  const asked = [9_000, 10_000, 15_000, 20_010, 21_000].map((at) => again.covers(at));
  expect(await Promise.all(asked)).toEqual([false, true, true, true, false]);
});

test("treats a command without a recorded end as running until now", async () => {
  const { file } = setUp();
  await openCommandTimes(
    file,
    placeAt(() => 1_000),
  ).begin();
  const later = openCommandTimes(
    file,
    placeAt(() => 9_000),
  );
  expect([await later.covers(500), await later.covers(5_000)]).toEqual([false, true]);
});

test("ends a command of a killed session when the next session notices", async () => {
  const { file } = setUp();
  const script = `
    const { openCommandTimes } = await import(${JSON.stringify(import.meta.resolve("./command-times.ts"))});
    await openCommandTimes(${JSON.stringify(file)}).begin();`;
  execFileSync(process.execPath, [
    "--conditions=palimpsest-source",
    "--no-warnings",
    "--input-type=module",
    "-e",
    script,
  ]);
  let nowMs = Date.now();
  const times = openCommandTimes(
    file,
    placeAt(() => nowMs),
  );
  const noticedAtMs = nowMs;
  expect(await times.covers(noticedAtMs)).toBe(true);
  nowMs += 120_000;
  expect([await times.covers(noticedAtMs), await times.covers(noticedAtMs + 60_000)]).toEqual([true, false]);
});

test("rewrites a long file without losing coverage", async () => {
  const { file } = setUp();
  let nowMs = 0;
  const times = openCommandTimes(
    file,
    placeAt(() => nowMs),
  );
  for (let index = 0; index < 1_500; index++) {
    nowMs += 1_000;
    const end = await times.begin();
    nowMs += 100;
    await end();
  }
  await times.noteUnseen("/project/AGENTS.md");
  nowMs += 1_000_000;
  const before = statSync(file).size;
  expect(await times.covers(1_050)).toBe(true);
  expect(statSync(file).size).toBeLessThan(before / 100);
  expect([await times.covers(1_050), await times.covers(nowMs)]).toEqual([true, false]);
  expect(readFileSync(file, "utf8")).toMatch(/^begin old-0 1000\nend old-0 \d+\nunseen "[^"]+"\n$/);
  expect(await times.unseen()).toEqual(["/project/AGENTS.md"]);
});

test("a command cannot set back the status change time of a file", async () => {
  const { folder, file } = setUp();
  const times = openCommandTimes(file);
  const end = await times.begin();
  const changed = join(folder, "AGENTS.md");
  writeFileSync(changed, "x");
  utimesSync(changed, 1, 1);
  await end();
  expect(await times.covers(statSync(changed).ctimeMs)).toBe(true);
});
