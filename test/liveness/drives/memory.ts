import { join } from "node:path";
import { openCoordination } from "@palimpsest/coordination";
import { createExtractions, memoryTool, openMemory, readStatements, type Statement } from "@palimpsest/memory";
import { askGates, DREAM_SYSTEM, startDream } from "@palimpsest/memory/dream";
import { type Ask, callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import type { Drive } from "../experiment.ts";
import { inFolder } from "../in-folder.ts";
import { type LibrarySession, openWorld, TOOLS, type World } from "../world.ts";

const HOUR_MS = 3_600_000;

const topic = (name: string) => ({
  name,
  description: `How the ${name} works.`,
  type: "project" as const,
  body: `The ${name} was rewritten.`,
});

export const isExtraction = (ask: Ask): boolean =>
  JSON.stringify(ask.request).includes("a task beside the conversation");
const LIST = callTools(callTool("Memory", { command: "list" }));
const SAVE = callTools(
  callTool("Memory", {
    command: "save",
    name: "pnpm, never npm",
    type: "feedback",
    fact: "Use pnpm, never npm.",
    quote: "use pnpm here, never npm",
  }),
);

/** What was said so far: what a model claims is held against it. */
export async function saidIn(session: LibrarySession, { store }: World): Promise<readonly Statement[]> {
  const reader = await store.openReader(session.id);
  return reader === undefined ? [] : (await readStatements(reader, 1, session.history.newestEntry)).said;
}

/** Extractions after two turns. The model lists the memory first, and then saves. */
export const extract: Drive = (values, witness) =>
  inFolder(async (folder) => {
    let round = 0;
    const world = openWorld(values, witness, {
      mind(ask) {
        if (!isExtraction(ask)) return undefined;
        return round++ % 2 === 0 ? LIST : SAVE;
      },
    });
    const memory = await openMemory({ folder, clock: world.clock });
    const session = await world.open();
    const tools = [...TOOLS, memoryTool({ memory, session: session.id, said: () => saidIn(session, world) })];
    const ended: string[] = [];
    session.events.listen((event) => {
      if (event.kind === "memories-extracted") ended.push(`${event.outcome} ${event.count}`);
    });
    const { store } = world;
    // These sessions are short: an extraction is a large part of their cost.
    const extractions = createExtractions({ memory, store, tools, readOnlyTools: ["Read"], maxCostPercent: 100 });
    for (const words of ["Please use pnpm here, never npm.", "And always use tabs."]) {
      await world.turn(session, words, [], { tools, afterTurn: extractions.afterTurn });
      await extractions.drain(60_000);
    }
    await session.close();
    await memory.close();
    return [world.sent.length, ended];
  });

/** Whether it is time to go over memory: asked now, soon after, and a day later. */
export const askForDreams: Drive = (values, witness) =>
  inFolder(async (folder) => {
    const world = openWorld(values, witness);
    const { clock, store } = world;
    const coordination = await openCoordination({ file: join(folder, "home.sqlite"), clock });
    const session = await world.open();
    const { settings } = session.settings();
    const answers: unknown[] = [];
    const ask = async () => {
      answers.push(
        await askGates({
          nowMs: clock.now(),
          enabled: settings["dream.enabled"],
          minSessions: 3,
          ask: {
            earlier: () => coordination.leases.read("dream"),
            touchScan: (everyMs) => coordination.leases.touch("dream", { everyMs }),
            sessionsSince: async () => ((await store.openReader("s")) === undefined ? 0 : 3),
          },
        }),
      );
    };
    await ask();
    const taken = await coordination.leases.take("dream", { owner: "liveness" });
    if (taken.kind === "taken") await taken.lease.finish("done");
    clock.advance(2 * HOUR_MS);
    await ask();
    clock.advance(24 * HOUR_MS);
    await ask();
    clock.advance(HOUR_MS / 4);
    await ask();
    await session.close();
    await coordination.close();
    return answers.map((one) => JSON.stringify(one).replace(/"why".*/, ""));
  });

/** Three of eight topics are taken away, one in each round. */
export const dream: Drive = (values, witness) =>
  inFolder(async (folder) => {
    const clockless = openWorld(values, witness);
    const memory = await openMemory({ folder: join(folder, "memory"), clock: clockless.clock });
    const names = ["parser", "loader", "deployment", "tests", "server", "client", "schema", "cache"];
    for (const name of names) await memory.write(topic(name), "model", "none");
    const versions = new Map<string, string>();
    for (const slug of names) versions.set(slug, (await memory.read(slug))!.version);
    const world = openWorld(values, witness, { mind: forgetting(versions) });
    const coordination = await openCoordination({ file: join(folder, "home.sqlite"), clock: world.clock });
    const taken = await coordination.leases.take("dream", { owner: "liveness" });
    if (taken.kind !== "taken") throw new Error("Somebody else dreams.");
    const session = await world.open({ system: DREAM_SYSTEM });
    const { store, clock } = world;
    const task = startDream({ memory, lease: taken.lease, store, sessions: [], session, clock });
    const { kind } = await task.done;
    const left = (await memory.list()).map(({ slug }) => slug);
    await coordination.close();
    await memory.close();
    return [world.sent.length, kind, left];
  });

function forgetting(versions: ReadonlyMap<string, string>): (ask: Ask) => Reply | undefined {
  const gone = ["parser", "loader", "cache"];
  return (ask) => {
    const { messages } = ask.request as { messages: readonly { role: string }[] };
    const slug = gone[messages.filter(({ role }) => role === "assistant").length];
    if (slug === undefined) return undefined;
    return callTools(
      callTool("Topics", { command: "forget", slug, because: "It is over.", version: versions.get(slug) }),
    );
  };
}
