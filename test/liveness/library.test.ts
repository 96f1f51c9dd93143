import { afterAll, describe, expect, test } from "vitest";
import { SPANS } from "../../packages/palimpsest/src/telemetry/names.ts";
import { compareRuns } from "./compare-runs.ts";
import { eventKindsOf, METRICS_OF_LIBRARY, missing, TELLING } from "./emitted-events.ts";
import { SETTING_EXPERIMENTS } from "./settings.ts";
import { createWitness } from "./witness.ts";

const witness = createWitness();
afterAll(async () => {
  await witness.close();
  expect(witness.unfit(), "events that do not fit apps/agent/stream.schema.json").toEqual([]);
});
const { observe, expectAlive } = compareRuns(witness);

describe("settings of the library", () => {
  test.each(Object.entries(SETTING_EXPERIMENTS))("%s makes a difference", expectAlive);
});

describe("what happens is told", () => {
  /** Everything above once more, as far as it was not driven yet. */
  async function driveAll(): Promise<void> {
    for (const [name, { drive, values, under }] of Object.entries(SETTING_EXPERIMENTS)) {
      for (const value of values) await observe(drive, { ...under, [name]: value }, 1);
    }
    for (const drive of TELLING) await observe(drive, {}, 1);
  }

  test("by an event of every kind", async () => {
    await driveAll();
    expect(missing(eventKindsOf("library"), witness.eventKinds()), "kinds of events that no session has told").toEqual(
      [],
    );
  });

  test("by every metric", async () => {
    await driveAll();
    expect(missing(METRICS_OF_LIBRARY, await witness.metrics()), "metrics that nothing has counted").toEqual([]);
  });

  test("by every span", async () => {
    await driveAll();
    const begun = new Set([...witness.spans()].map((name) => name.split(" ")[0]!));
    expect(missing(Object.values(SPANS), begun), "spans that were never begun").toEqual([]);
  });
});
