import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openCoordination } from "../open-coordination.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const NOON = Date.UTC(2026, 0, 5, 12);
const DAY_MS = 86_400_000;

test("what one process uses of a day is gone for all of them, and comes back with the next day", async () => {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-budgets-"));
  folders.push(folder);
  let nowMs = NOON;
  const open = () => openCoordination({ file: join(folder, "home.sqlite"), clock: { now: () => nowMs } });
  const [one, other] = [await open(), await open()];
  const mine = one.budgets.daily("extraction", 1_000);
  const theirs = other.budgets.daily("extraction", 1_000);
  expect(await mine.leftTokens()).toBe(1_000);
  await Promise.all([mine.spend(300), theirs.spend(250), mine.spend(50)]);
  expect(await mine.leftTokens()).toBe(400);
  expect(await theirs.leftTokens()).toBe(400);
  expect(await one.budgets.daily("something else", 10).leftTokens()).toBe(10);
  await theirs.spend(900);
  expect(await mine.leftTokens()).toBe(-500);
  nowMs += DAY_MS;
  expect(await mine.leftTokens()).toBe(1_000);
  await Promise.all([one.close(), other.close()]);
});
