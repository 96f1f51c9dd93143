import { afterAll, describe, expect, test } from "vitest";
import { AGENT_SETTINGS } from "../../apps/agent/src/permissions/settings-schema.ts";
import { METRICS, SPANS } from "../../packages/palimpsest/src/telemetry/names.ts";
import { AGENT_EXPERIMENTS } from "./agent/engine.ts";
import { driveFile, FILE_EXPERIMENTS, fieldsOf } from "./agent/settings.ts";
import { EVENT_KINDS, TELLING } from "./emitted-events.ts";
import type { Drive, Experiment } from "./experiment.ts";
import { SETTING_EXPERIMENTS } from "./settings.ts";
import { createWitness } from "./witness.ts";
import type { Values } from "./world.ts";

const witness = createWitness();
afterAll(async () => {
  await witness.close();
  expect(witness.unfit(), "events that do not fit apps/agent/stream.schema.json").toEqual([]);
});

/** Each run is made once, and compared with others as often as it is asked for. */
const runs = new Map<Drive, Map<string, Promise<string>>>();

function observe(drive: Drive, values: Values, run: number): Promise<string> {
  const key = `${run} ${JSON.stringify(Object.entries(values).sort())}`;
  const own = runs.get(drive) ?? new Map<string, Promise<string>>();
  runs.set(drive, own);
  const seen = own.get(key) ?? drive(values, witness).then((observed) => JSON.stringify(observed));
  own.set(key, seen);
  return seen;
}

/** A machine that has other things to do may disturb a run, but not two in the same way. */
const MAX_RUNS = 5;

/** What two runs agree upon, so that noise is not taken for a difference. */
async function agreedUpon(drive: Drive, values: Values): Promise<string> {
  const seen = new Set<string>();
  for (let run = 1; run <= MAX_RUNS; run++) {
    const observed = await observe(drive, values, run);
    if (seen.has(observed)) return observed;
    seen.add(observed);
  }
  throw new Error(`under ${JSON.stringify(values)} no two of ${MAX_RUNS} runs are the same: it cannot be judged`);
}

async function expectAlive(name: string, { drive, values: [one, other], under }: Experiment): Promise<void> {
  const seen = await agreedUpon(drive, { ...under, [name]: one });
  const differs = (await agreedUpon(drive, { ...under, [name]: other })) !== seen;
  expect(differs, `${name} is dead: ${JSON.stringify(one)} and ${JSON.stringify(other)} make no difference`).toBe(true);
}

describe("settings of the library", () => {
  test.each(Object.entries(SETTING_EXPERIMENTS))("%s makes a difference", expectAlive);
});

describe("settings in the agent", () => {
  test.each(Object.entries(AGENT_EXPERIMENTS))("%s makes a difference", expectAlive);
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

describe("what happens is told", { timeout: 600_000 }, () => {
  /** Everything above once more, as far as it was not driven yet. */
  async function driveAll(): Promise<void> {
    const all = [...Object.entries(SETTING_EXPERIMENTS), ...Object.entries(AGENT_EXPERIMENTS)];
    for (const [name, { drive, values, under }] of all) {
      for (const value of values) await observe(drive, { ...under, [name]: value }, 1);
    }
    for (const drive of TELLING) await observe(drive, {}, 1);
  }
  const missing = (wanted: readonly string[], seen: ReadonlySet<string>): readonly string[] =>
    wanted.filter((name) => !seen.has(name));

  test("by an event of every kind", async () => {
    await driveAll();
    expect(missing(Object.keys(EVENT_KINDS), witness.eventKinds()), "kinds of events that no session has told").toEqual(
      [],
    );
  });

  test("by every metric", async () => {
    await driveAll();
    expect(missing(Object.values(METRICS), await witness.metrics()), "metrics that nothing has counted").toEqual([]);
  });

  test("by every span", async () => {
    await driveAll();
    const begun = new Set([...witness.spans()].map((name) => name.split(" ")[0]!));
    expect(missing(Object.values(SPANS), begun), "spans that were never begun").toEqual([]);
  });
});
