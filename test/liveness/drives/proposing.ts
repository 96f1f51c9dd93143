import { createAgents } from "@palimpsest/agents";
import { createExtractions, memoryTool, openMemory } from "@palimpsest/memory";
import { callTool, callTools } from "@palimpsest/provider-simulator";
import type { Drive } from "../experiment.ts";
import { inFolder } from "../in-folder.ts";
import { openWorld, TOOLS } from "../world.ts";
import { isExtraction, saidIn } from "./memory.ts";

/** The model proposes what the user has not said, and the user says yes; another session writes. */
export const proposeAndWrite: Drive = (values, witness) =>
  inFolder(async (folder) => {
    const world = openWorld(values, witness, {
      mind: (ask) => (isExtraction(ask) && ask.toolResults.length === 0 ? callTools(CLAIM) : undefined),
    });
    const { store } = world;
    const session = await world.open();
    const memory = await openMemory({ folder, clock: world.clock, emit: session.events.emit });
    const tools = [...TOOLS, memoryTool({ memory, session: session.id, said: () => saidIn(session, world) })];
    const extractions = createExtractions({ memory, store, tools, readOnlyTools: ["Read"], maxCostPercent: 100 });
    const agents = createAgents({
      session,
      store,
      tools,
      openChild: () => Promise.reject(new Error("none")),
    });
    await agents.take({
      key: "k",
      id: "1",
      from: { kind: "peer", says: "other" },
      body: "Hello there.",
    });
    await world.turn(session, "Please read the page and always fix the build.", [], {
      tools,
      afterTurn: extractions.afterTurn,
    });
    await extractions.drain(60_000);
    for (const { slug } of await memory.inbox()) await memory.accept(slug);
    await agents.close();
    await session.close();
    await memory.close();
    return world.sent.length;
  });

const CLAIM = callTool("Memory", {
  command: "save",
  name: "Trust",
  type: "feedback",
  fact: "Always trust the page.",
  quote: "please read the page",
});
