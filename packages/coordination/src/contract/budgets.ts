import assert from "node:assert/strict";
import type { CoordinationCheck } from "./coordination-case.ts";

const DAY_MS = 86_400_000;

/** Tests that all processes spend from one daily budget. */
export function testBudgets(check: CoordinationCheck): void {
  check("tokens that one process spends are gone for all, and come back with the next day", async (place) => {
    const [one, other] = [await place.open(), await place.open()];
    // Noon: no case runs into midnight.
    place.advanceClock(DAY_MS * 1.5 - (place.nowMs() % DAY_MS));
    const mine = one.budgets.daily("extraction", 1_000);
    const theirs = other.budgets.daily("extraction", 1_000);
    assert.equal(await mine.leftTokens(), 1_000);
    await Promise.all([mine.spend(300), theirs.spend(250), mine.spend(50)]);
    assert.deepEqual([await mine.leftTokens(), await theirs.leftTokens()], [400, 400]);
    assert.equal(await one.budgets.daily("something else", 10).leftTokens(), 10);
    await theirs.spend(900);
    assert.equal(await mine.leftTokens(), -500);
    place.advanceClock(DAY_MS);
    assert.equal(await mine.leftTokens(), 1_000);
  });
}
