import { callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import { type CompactOptions, compactTool, type Surroundings } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { coding, economic, nearCompaction } from "palimpsest/policy";
import type { Drive } from "../experiment.ts";
import type { Witness } from "../witness.ts";
import {
  type LibrarySession,
  openWorld,
  prose,
  settle,
  TOOLS,
  type Values,
  type World,
  type WorldOptions,
} from "../world.ts";

const SURROUNDINGS: Surroundings = {
  readFile: async (path) => prose(`content-of-${path.replaceAll(/\W/g, "")}-`, 100).replaceAll(" ", "\n"),
  skills: async () => ["deploy", "review"].map((name) => ({ name, text: prose(`${name}-`, 60) })),
  todos: async () => "- [ ] rename the loader",
  plan: async () => prose("planned-", 60),
  tools: async () => prose("offered-", 60),
  folderRules: async () => [{ path: "src/AGENTS.md", text: prose("folder-", 60) }],
};

const work = (file: string, words: number): Reply =>
  callTools(
    callTool("Read", { file_path: `src/${file}.ts`, words }),
    callTool("Edit", { file_path: `src/${file}.ts`, words: 10 }),
  );

/** Turn after turn of work, in a window that is too small for it. */
export const fillWindow: Drive = async (values, witness) => {
  const world = openWorld(values, witness, { windowTokens: 40_000 });
  const session = await world.open({ surroundings: SURROUNDINGS });
  const ended: string[] = [];
  for (let turn = 0; turn < 8; turn++) {
    ended.push(await world.turn(session, prose(`wish${turn}-`, 100), [work(`file${turn}`, 1_200)]));
  }
  await session.close();
  return [world.sent, ended];
};

/** The same with a model of which nobody knows the window: the client has no list of models to ask. */
export const fillUnknownWindow: Drive = async (values, witness) => {
  const world = openWorld(values, witness, {
    model: "house-model-1",
    provider: ({ messages, beta }) => anthropic({ messages, beta }),
  });
  const session = await world.open();
  for (let turn = 0; turn < 4; turn++) await world.turn(session, prose(`wish${turn}-`, 100), [work(`f${turn}`, 1_200)]);
  await session.close();
  return world.sent;
};

/** A long session in a window that is far from full: what is compacted here is compacted because it pays. */
export const workLong: Drive = async (values, witness) => {
  const world = openWorld(values, witness, { windowTokens: 200_000 });
  const session = await world.open();
  await sayTurns(world, session, 5, 3_000);
  const rounds = [0, 1, 2].map((round) => work(`more${round}`, 3_000));
  await world.turn(session, "Now all the others.", rounds);
  await world.turn(session, "Go on.");
  await session.close();
  return world.sent;
};

/** A long turn in a window that is too small for it. */
export const compactInTurn: Drive = async (values, witness) => {
  const world = openWorld(values, witness, { windowTokens: 40_000 });
  const session = await world.open({ surroundings: SURROUNDINGS });
  const rounds = Array.from({ length: 9 }, (_, round) => work(`file${round}`, 1_200));
  await world.turn(session, "Go through all of them.", rounds);
  await session.close();
  return world.sent;
};

/** Pauses between the turns are long enough for a summary to be written. */
export const prepareAndCompact: Drive = async (values, witness) => {
  const world = openWorld(values, witness, { windowTokens: 200_000 });
  const session = await world.open();
  for (let turn = 0; turn < 6; turn++) {
    await world.turn(session, prose(`wish${turn}-`, 100), [work(`file${turn}`, 2_500)]);
    await settle(world);
  }
  await session.close();
  return world.sent;
};

/** A summary is prepared, and the user goes back to before what it covers. */
export const prepareInVain: Drive = async (_, witness) => {
  const { compact, ...others } = coding();
  const when = economic({ fromTokens: 30_000, inTurnFromTokens: 30_000 });
  const prepareAhead = nearCompaction({ idleShare: 0.1, inTurnShare: 0.1, maxTailTokens: 40_000 });
  const policy = { ...others, clear: [], compact: { ...compact, when, prepareAhead } };
  const world = openWorld({ policy }, witness, { windowTokens: 200_000 });
  const session = await world.open();
  await world.turn(session, prose("wish-", 100), [work("file", 2_500)]);
  await settle(world);
  await session.history.rewind(2);
  await session.close();
  return world.sent;
};

/** Two tickets, each with a mark at its end. */
export const closeTickets: Drive = async (values, witness) => {
  const world = openWorld(values, witness, { windowTokens: 200_000 });
  const session = await world.open({ surroundings: SURROUNDINGS });
  for (const ticket of ["ORD-111111", "ORD-222222"]) {
    await sayTurns(world, session, 3, 1_500, `The ticket ${ticket}.`);
    await session.mark("ticket", "closed");
  }
  await world.turn(session, "Hello.");
  await session.close();
  return world.sent;
};

/** A piece of work, and the model's proposal to compact before the next one. */
export const proposeCompaction: Drive = async (values, witness) => {
  const world = openWorld(values, witness, { windowTokens: 200_000 });
  const session = await world.open({ surroundings: SURROUNDINGS });
  await sayTurns(world, session, 5, 3_000);
  const proposal = callTools(callTool("compact", { next: "Write the changelog.", keep: ["ORD-123456"] }));
  await world.turn(session, "That is done. Go on.", [proposal], { tools: [...TOOLS, compactTool(session)] });
  await session.close();
  return world.sent;
};

/** The same until a compaction saves money with the numbers of the presets. */
export const workVeryLong: Drive = async (values, witness) => {
  const world = openWorld(values, witness, { windowTokens: 200_000 });
  const session = await world.open();
  await sayTurns(world, session, 9, 3_300);
  await world.turn(session, "Go on.");
  await session.close();
  return world.sent;
};

/** The service takes less than it says, and refuses a request as too long. */
export const overflow: Drive = async (values, witness) => {
  const world = openWorld(values, witness, { windowTokens: 200_000, trueWindowTokens: 30_000 });
  const session = await world.open();
  const ended: string[] = [];
  for (let turn = 0; turn < 5; turn++) {
    ended.push(await world.turn(session, prose(`wish${turn}-`, 100), [work(`file${turn}`, 2_500)]));
  }
  await session.close();
  return [world.sent, ended];
};

interface ByHand extends WorldOptions {
  readonly how?: CompactOptions;
}

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

async function compactByHand(values: Values, witness: Witness, { how = {}, ...options }: ByHand) {
  const world = openWorld(values, witness, { windowTokens: 100_000, ...options });
  const session = await world.open({ surroundings: SURROUNDINGS });
  await session.pins.add("Never push to main.");
  await session.background.enterAgent({
    id: "agent-1",
    step: "started",
    way: "background",
    goal: "Count the tests.",
    session: "counter",
    name: "counter",
  });
  await sayTurns(world, session, 2, 1_200, "The order is ORD-123456.");
  await session.append({
    role: "user",
    origin: "human",
    blocks: [{ kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } }],
  });
  await world.turn(session, "Never rename src/index.ts.", [work("index", 100)]);
  await session.mark("ticket", "closed");
  await sayTurns(world, session, 1, 1_200);
  const outcome = await session.compact(how);
  await world.turn(session, "Go on.");
  await session.close();
  return [world.sent, outcome.kind];
}

async function sayTurns(
  world: World,
  session: LibrarySession,
  turns: number,
  words: number,
  beginning = "",
): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await world.turn(session, `${beginning} ${prose(`wish${turn}-`, 100)}`, [work(`file${turn}`, words)]);
  }
}

export const compactOnce: Drive = (values, witness) => compactByHand(values, witness, {});
