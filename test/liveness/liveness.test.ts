import { afterAll, expect, test } from "vitest";
import type { Drive, Experiment } from "./experiment.ts";
import { SETTING_EXPERIMENTS } from "./settings.ts";
import { createWitness } from "./witness.ts";
import type { Values } from "./world.ts";

const witness = createWitness();
afterAll(() => witness.close());

/** Runs under the same settings are made twice at most: once to be compared with others, once to be compared with itself. */
const runs = new Map<Drive, Map<string, Promise<string>>>();

function observe(drive: Drive, values: Values, which: "first" | "again" = "first"): Promise<string> {
  const key = `${which} ${JSON.stringify(Object.entries(values).sort())}`;
  const own = runs.get(drive) ?? new Map<string, Promise<string>>();
  runs.set(drive, own);
  const seen = own.get(key) ?? drive(values, witness).then((observed) => JSON.stringify(observed));
  own.set(key, seen);
  return seen;
}

async function expectAlive(name: string, { drive, values: [one, other], under }: Experiment): Promise<void> {
  const first = { ...under, [name]: one };
  const seen = await observe(drive, first);
  expect(await observe(drive, first, "again"), "the same settings do not give the same twice").toBe(seen);
  const differs = (await observe(drive, { ...under, [name]: other })) !== seen;
  expect(differs, `${name} is dead: ${JSON.stringify(one)} and ${JSON.stringify(other)} make no difference`).toBe(true);
}

test.each(Object.entries(SETTING_EXPERIMENTS))("the setting %s makes a difference", expectAlive);
