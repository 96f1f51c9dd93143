import { expect } from "vitest";
import type { Drive, Experiment } from "./experiment.ts";
import type { Witness } from "./witness.ts";
import type { Values } from "./world.ts";

/** Runs of drives, which are compared. Each is made once, and looked at as often as it is asked for. */
export interface ComparedRuns {
  /** What can be seen of a drive under these settings. @param run counts the repetitions */
  observe(drive: Drive, values: Values, run: number): Promise<string>;
  /** Expects that the two values of a setting make a difference. */
  expectAlive(name: string, experiment: Experiment): Promise<void>;
  /** The same of two sets of settings. @param name is dead if they make none */
  expectDifference(name: string, drive: Drive, values: readonly [Values, Values]): Promise<void>;
}

/** A policy is told by its name: it has too many numbers. */
function inWords({ policy, ...settings }: Values): string {
  const name = typeof policy === "function" ? policy.name : policy?.name;
  return JSON.stringify(policy === undefined ? settings : { ...settings, policy: name });
}

/** A machine that has other things to do may disturb a run, but not two in the same way. */
const MAX_RUNS = 5;

export function compareRuns(witness: Witness): ComparedRuns {
  const runs = new Map<Drive, Map<string, Promise<string>>>();
  /** Policies have functions, so they are told apart by identity. */
  const policies: unknown[] = [];
  const keyOf = (name: string, value: unknown): unknown => {
    if (name !== "policy") return value;
    if (!policies.includes(value)) policies.push(value);
    return policies.indexOf(value);
  };

  function observe(drive: Drive, values: Values, run: number): Promise<string> {
    const sorted = Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
    const key = `${run} ${JSON.stringify(sorted.map(([name, value]) => [name, keyOf(name, value)]))}`;
    const own = runs.get(drive) ?? new Map<string, Promise<string>>();
    runs.set(drive, own);
    const seen = own.get(key) ?? drive(values, witness).then((observed) => JSON.stringify(observed));
    own.set(key, seen);
    return seen;
  }

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

  const expectDifference: ComparedRuns["expectDifference"] = async (name, drive, [one, other]) => {
    const seen = await agreedUpon(drive, one);
    // Whether a drive is steady has been seen: the other side of it is driven once.
    const differs = (await observe(drive, other, 1)) !== seen;
    const values = `${inWords(one)} and ${inWords(other)}`;
    expect(differs, `${name} is dead: ${values} make no difference`).toBe(true);
  };

  return {
    observe,
    expectAlive: (name, { drive, values: [one, other], under }) =>
      expectDifference(name, drive, [
        { ...under, [name]: one },
        { ...under, [name]: other },
      ]),
    expectDifference,
  };
}
