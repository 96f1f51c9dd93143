import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { live } from "./live.ts";
import { operations } from "./operations.ts";
import { anthropicWorld } from "./worlds.ts";

const SLOW = process.env["PALIMPSEST_SLOW"] !== undefined;
/** Of each world. Together: more than 10,000 in the gate, more than 200,000 in `npm run test:slow`. */
const RUNS = SLOW ? 50_000 : 2_500;

const WORLDS = [() => anthropicWorld("bound"), () => anthropicWorld("free"), () => anthropicWorld("off")];

describe.each(WORLDS.map((create) => [create().name, create] as const))("any session with %s", (_, create) => {
  test("sends valid requests that begin as the one before did, also when it is opened again", async () => {
    let requests = 0;
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        requests += (await live(create(), list)).requests;
      }),
      { numRuns: RUNS },
    );
    expect(requests).toBeGreaterThan(RUNS);
  }, 600_000);
});
