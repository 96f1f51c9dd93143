import { type Tool, tool } from "palimpsest";
import type { Drive } from "../experiment.ts";
import { openWorld } from "../world.ts";

/** A tool that may be deferred, and is small. */
const LOOK_UP = tool({
  name: "look_up",
  description: "Looks a word up.",
  inputSchema: { type: "object", properties: { word: { type: "string" } } },
  loading: "when-large",
  execute: () => "A word.",
}) as Tool;

export const offerTools: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  const session = await world.open();
  await world.turn(session, "One.", [], { tools: [LOOK_UP] });
  await session.close();
  return world.sent;
};
