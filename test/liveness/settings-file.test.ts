import { afterAll, describe, expect, test } from "vitest";
import { AGENT_SETTINGS } from "../../apps/agent/src/permissions/settings-schema.ts";
import { driveFile, FILE_EXPERIMENTS, fieldsOf } from "./agent/settings.ts";
import { createWitness } from "./witness.ts";

const witness = createWitness();
afterAll(async () => {
  await witness.close();
  expect(witness.unfit(), "events that do not fit apps/agent/stream.schema.json").toEqual([]);
});

describe("fields of the agent's settings.json", () => {
  // The schema is for editors.
  const fields = fieldsOf(AGENT_SETTINGS).filter((field) => field !== "$schema");

  test.each(fields)("%s makes a difference", async (field) => {
    const tried = FILE_EXPERIMENTS[field];
    if (tried === undefined) throw new Error(`${field} has no experiment in test/liveness/agent/settings.ts`);
    const [one, other] = tried.files;
    const drive = driveFile(tried);
    const seen = await drive(one, witness);
    expect((await drive(one, witness)) === seen, `with ${field} the same does not happen twice`).toBe(true);
    expect((await drive(other, witness)) !== seen, `${field} is dead`).toBe(true);
  });
});
