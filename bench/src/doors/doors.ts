import type { Bench } from "../bench.ts";
import { aiSdkDoor } from "./ai-sdk.ts";
import type { Door } from "./door.ts";
import { driveDoor } from "./drive-door.ts";
import { langchainDoor } from "./langchain.ts";
import { mastraDoor } from "./mastra.ts";
import { openaiAgentsDoor } from "./openai-agents.ts";
import { ownLoopDoor } from "./own-loop.ts";
import { piDoor } from "./pi.ts";

/** Doors that carry model requests. */
export const DOORS: readonly Door[] = [ownLoopDoor, aiSdkDoor, langchainDoor, openaiAgentsDoor, mastraDoor, piDoor];
const WINDOW_TOKENS = 24_000;
const TURNS = { quick: 45, full: 400 } as const;

/** Measures what agents of other frameworks get when they adopt Palimpsest, on the bytes that the service receives. */
export const doorsBench: Bench = {
  name: "doors",
  about: "agents of other frameworks with Palimpsest: requests refused, prefix kept, lines to adopt, time",
  figures: "counts",
  async run({ size, only = "" }) {
    const doors: Record<string, unknown> = {};
    const chosen = DOORS.filter(({ name }) => name.includes(only));
    if (chosen.length === 0) throw new Error(`No door "${only}". Doors: ${DOORS.map(({ name }) => name).join(", ")}.`);
    for (const door of chosen) {
      doors[door.name] = await driveDoor(door, { turns: TURNS[size], windowTokens: WINDOW_TOKENS });
    }
    return { doors };
  },
};
