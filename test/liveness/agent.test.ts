import { afterAll, describe, expect, test } from "vitest";
import { AGENT_EXPERIMENTS } from "./agent/engine.ts";
import { compareRuns } from "./compare-runs.ts";
import { eventKindsOf, METRICS_OF_AGENT, missing } from "./emitted-events.ts";
import { createWitness } from "./witness.ts";

const witness = createWitness();
afterAll(async () => {
  await witness.close();
  expect(witness.unfit(), "events that do not fit apps/agent/stream.schema.json").toEqual([]);
});
const { observe, expectAlive } = compareRuns(witness);

describe("settings in the agent", () => {
  test.each(Object.entries(AGENT_EXPERIMENTS))("%s makes a difference", expectAlive);
});

describe("what only the agent does is told", () => {
  async function driveAll(): Promise<void> {
    for (const [name, { drive, values, under }] of Object.entries(AGENT_EXPERIMENTS)) {
      for (const value of values) await observe(drive, { ...under, [name]: value }, 1);
    }
  }

  test("by an event of every kind, and by every metric", async () => {
    await driveAll();
    expect(missing(eventKindsOf("agent"), witness.eventKinds()), "kinds of events that no session has told").toEqual(
      [],
    );
    expect(missing(METRICS_OF_AGENT, await witness.metrics()), "metrics that nothing has counted").toEqual([]);
  });
});
