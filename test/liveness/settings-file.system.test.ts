import { afterAll, describe, expect, test } from "vitest";
import { AGENT_SETTINGS } from "../../apps/agent/src/permissions/settings-schema.ts";
import { driveFile, FILE_EXPERIMENTS, fieldsOf } from "./agent/settings.ts";
import { compareRuns } from "./compare-runs.ts";
import { createWitness } from "./witness.ts";

const witness = createWitness();
afterAll(async () => {
  await witness.close();
  expect(witness.unfit(), "events that do not fit apps/agent/stream.schema.json").toEqual([]);
});

const { expectDifference } = compareRuns(witness);

describe("fields of the agent's settings.json", () => {
  // The schema is for editors.
  const fields = fieldsOf(AGENT_SETTINGS).filter((field) => field !== "$schema");

  test.each(fields)("%s makes a difference", async (field) => {
    const tried = FILE_EXPERIMENTS[field];
    if (tried === undefined) throw new Error(`${field} has no experiment in test/liveness/agent/settings.ts`);
    await expectDifference(field, driveFile(tried), tried.files);
  });
});
