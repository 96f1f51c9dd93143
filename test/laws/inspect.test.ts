import fc from "fast-check";
import { memoryResults, memoryStore } from "palimpsest";
import { loadView, openInspected, openLogIndex, requestAt } from "palimpsest/inspect";
import { describe, expect, test } from "vitest";
import { hold, isReplay } from "./hold.ts";
import { live } from "./live.ts";
import { operations } from "./operations.ts";
import { POLICY_NAMES } from "./policies.ts";
import { anthropicWorld, chatWorld, responsesWorld, type World } from "./worlds.ts";

const RUNS = process.env["PALIMPSEST_SLOW"] === undefined ? 40 : 4_000;
const WORLDS: readonly (readonly [string, () => World])[] = [
  () => anthropicWorld("bound"),
  () => anthropicWorld("free", "asked"),
  responsesWorld,
  () => chatWorld(),
].map((create) => [create().name, create]);

describe.each(WORLDS)("any session with %s", (name, create) => {
  test("every request that was sent is made again from the log, byte for byte, at any time later", async () => {
    let held = 0;
    await hold(
      `requests made again, ${name}`,
      [operations, fc.constantFrom(...POLICY_NAMES), fc.nat()],
      async (list, policy, cut) => {
        const world = create();
        const store = memoryStore({ leaseMs: 0 });
        const { sent } = await live(world, list, policy, { store, files: memoryResults() });
        const inspected = (await openInspected(store, "s"))!;
        const { log } = inspected;
        for (const { entry, json } of sent) {
          const { view } = await loadView(log, entry);
          const seal = view.items.findLast(({ kind }) => kind === "seal")!.from;
          const made = await requestAt(inspected, seal, world.provider);
          if (made.kind !== "request") throw new Error(`entry ${seal}: ${made.kind}`);
          expect(made.body).toBe(json);
          expect(made.erasedSince).toEqual([]);
          // The segments are the body: nothing between them, nothing beside them.
          expect(made.segments.map(({ from, to }) => made.body.slice(from, to)).join("")).toBe(json);
          held++;
        }
        await checkIndex(inspected, cut);
      },
      { numRuns: RUNS, counts: () => ({ held }) },
    );
    if (isReplay()) return;
    expect(held).toBeGreaterThan(RUNS / 2);
  }, 600_000);
});

/** An index that is made in two steps is the one that is made in one, and costs what the lines of the ledger say. */
async function checkIndex(
  inspected: NonNullable<Awaited<ReturnType<typeof openInspected>>>,
  cut: number,
): Promise<void> {
  const { log } = inspected;
  const head = await log.head();
  const whole = openLogIndex(inspected);
  await whole.update();
  let end = cut % (head.sequence + 1);
  const inSteps = openLogIndex({ ...inspected, log: { ...log, head: async () => ({ ...head, sequence: end }) } });
  await inSteps.update();
  end = head.sequence;
  await inSteps.update();
  const contents = (index: typeof whole) => [index.totals(), index.timeline(), index.events(), index.breaks()];
  expect(contents(inSteps)).toEqual(contents(whole));
}
