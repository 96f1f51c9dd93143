import type { Policy } from "palimpsest/policy";
import { afterAll, describe, expect, test } from "vitest";
import { compareRuns } from "./compare-runs.ts";
import type { Drive, Experiment } from "./experiment.ts";
import { type Side, toldBy } from "./told.ts";
import { createWitness } from "./witness.ts";

export interface TestedSide {
  readonly side: Side;
  /** By the name of a setting. */
  readonly experiments: Readonly<Record<string, Experiment>>;
  /** By the name of a rule, a part, a form or a preset: two policies. @default none */
  readonly rules?: Readonly<Record<string, Experiment>>;
  /** Drives for what no setting brings about. */
  readonly telling: readonly Drive[];
}

/** Tests that every setting of a side makes a difference, and that all that it can tell is told by some session. */
export function testSide({ side, experiments, rules = {}, telling }: TestedSide): void {
  const witness = createWitness();
  afterAll(async () => {
    await witness.close();
    expect(witness.unfit(), "events that do not fit apps/agent/stream.schema.json").toEqual([]);
  });
  const { observe, expectAlive, expectDifference } = compareRuns(witness);
  const told = toldBy(side);
  const missing = (wanted: readonly string[], seen: ReadonlySet<string>): readonly string[] =>
    wanted.filter((name) => !seen.has(name));

  describe("settings", () => {
    test.each(Object.entries(experiments))("%s makes a difference", expectAlive);
  });

  const ofPolicies = Object.entries(rules);
  if (ofPolicies.length > 0) {
    test.each(ofPolicies)("of a policy, %s makes a difference", (name, { drive, values: [one, other], under }) =>
      expectDifference(name, drive, [
        { ...under, policy: one as Policy },
        { ...under, policy: other as Policy },
      ]),
    );
  }

  test("what happens is told: by events of every kind, by every metric, by every span", async () => {
    // What was driven for the settings is not driven again.
    for (const [name, { drive, values, under }] of Object.entries(experiments)) {
      for (const value of values) await observe(drive, { ...under, [name]: value }, 1);
    }
    for (const drive of telling) await observe(drive, {}, 1);
    const begun = new Set([...witness.spans()].map((name) => name.split(" ")[0]!));
    expect.soft(missing(told.eventKinds, witness.eventKinds()), "events that no session has told").toEqual([]);
    expect.soft(missing(told.metrics, await witness.metrics()), "metrics that nothing has counted").toEqual([]);
    expect.soft(missing(told.spans, begun), "spans that were never begun").toEqual([]);
  });
}
