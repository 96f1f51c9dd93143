import { answer, callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import { coding, notesByGrowth } from "palimpsest/policy";
import type { Drive } from "../experiment.ts";
import type { Witness } from "../witness.ts";
import { openWorld, prose, settle, type Values } from "../world.ts";

const MINUTE_MS = 60_000;
/** Less than what is left of a cache's time when an update is due at the latest. */
const STEP_MS = 2_000;

/** Turns notes on, unless the policy under test says whether there are notes. */
const withNotes = (values: Values): Values => ("policy" in values ? values : { notes: "on", ...values });

const longNotes = (words: number): Reply =>
  answer(
    `<session-notes>\n<notes-section heading="Current state">\n${prose("noted-", words)}\n</notes-section>\n</session-notes>`,
  );

async function takeNotes(
  values: Values,
  witness: Witness,
  { turns = 6, pauseMs = 0, words = 950, windowTokens = 60_000 } = {},
) {
  const world = openWorld(withNotes(values), witness, { windowTokens });
  const session = await world.open();
  for (let turn = 0; turn < turns; turn++) {
    const calls = [0, 1].map((call) => callTools(callTool("Read", { file_path: `src/${turn}${call}.ts`, words })));
    await world.turn(session, prose(`wish${turn}-`, 60), calls);
    await settle(world);
  }
  for (let passedMs = 0; passedMs < pauseMs; passedMs += STEP_MS) {
    world.clock.advance(STEP_MS);
    await settle(world);
  }
  await session.close();
  return world.sent;
}

/** Turns without a pause. */
export const noteTurns: Drive = (values, witness) => takeNotes(values, witness);

/** Few turns, and then nobody says anything for a while. */
export const noteBeforePause: Drive = (values, witness) =>
  takeNotes(values, witness, { turns: 5, pauseMs: 6 * MINUTE_MS, words: 1_500, windowTokens: 200_000 });

/** Notes that are longer than they may be are to be condensed. */
export const noteTooMuch: Drive = async (values, witness) => {
  const world = openWorld(withNotes(values), witness, {
    mind: ({ userText }) => (userText.includes("<session-notes>") ? longNotes(600) : undefined),
  });
  const session = await world.open();
  await world.turn(session, "Hello.");
  await session.notes.update();
  await world.turn(session, "Again.");
  await session.notes.update();
  await session.close();
  return world.sent;
};

/** The window is full before the first notes are written. */
export const compactWithoutNotes: Drive = async (_, witness) => {
  const notes = notesByGrowth({ firstTokens: 1_000_000, growthTokens: 1_000, toolCalls: 1 });
  const world = openWorld({ policy: { ...coding(), clear: [], notes } }, witness, { windowTokens: 40_000 });
  const session = await world.open();
  for (let turn = 0; turn < 20; turn++) await world.turn(session, prose(`wish${turn}-`, 700));
  await session.close();
  return world.sent;
};

/** Notes are at hand when the window is full. */
export const compactByNotes: Drive = async (values, witness) => {
  const world = openWorld(withNotes(values), witness, { windowTokens: 40_000 });
  const session = await world.open();
  for (let turn = 0; turn < 7; turn++) {
    const calls = [callTools(callTool("Read", { file_path: `src/${turn}.ts`, words: 1_000 }))];
    await world.turn(session, prose(`wish${turn}-`, 100), calls);
  }
  await session.notes.update();
  for (let turn = 7; turn < 10; turn++) {
    const calls = [callTools(callTool("Read", { file_path: `src/${turn}.ts`, words: 1_000 }))];
    await world.turn(session, prose(`wish${turn}-`, 100), calls);
  }
  await session.close();
  return world.sent;
};
