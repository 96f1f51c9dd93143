import type { Drive } from "../experiment.ts";
import type { Witness } from "../witness.ts";
import { openWorld, prose, type Values } from "../world.ts";

const HOUR_MS = 3_600_000;

export const sayTwice: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  const session = await world.open({ system: prose("rule-", 1_000) });
  await world.turn(session, "One.");
  await world.turn(session, "Two.");
  await session.close();
  return world.sent;
};

/** The user answers every ten minutes. */
export const answerLate: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  const session = await world.open({ system: prose("rule-", 9_000) });
  for (let turn = 0; turn < 4; turn++) {
    await world.turn(session, `Part ${turn}.`);
    world.clock.advance(10 * 60_000);
  }
  await session.close();
  return world.sent;
};

async function keepWarm(values: Values, witness: Witness, activity: "tool-runs" | "waiting") {
  const world = openWorld(values, witness);
  const session = await world.open({ system: prose("rule-", 9_000) });
  await world.turn(session, "One.");
  const over = new AbortController();
  const kept = session.provider.keepWarm({ activity, signal: over.signal });
  await world.clock.pass(HOUR_MS, kept);
  over.abort();
  await kept;
  await session.close();
  return world.sent;
}

export const waitForTool: Drive = (values, witness) => keepWarm(values, witness, "tool-runs");
export const waitForUser: Drive = (values, witness) => keepWarm(values, witness, "waiting");
