import { memoryStore, type Store } from "palimpsest";
import { median, round } from "../statistics.ts";
import type { Door, DoorAgent, DoorPlace } from "./door.ts";
import { measurePrefix } from "./measure-prefix.ts";
import { MODELS, serveModel } from "./simulated-model.ts";

export interface DrivePlan {
  readonly turns: number;
  readonly windowTokens: number;
  /** Whether the time of turns is compared with that of the same agent without Palimpsest. @default "times" */
  readonly compared?: "times" | "not";
}

/** The process ends after every so many turns, and another one opens what was persisted. */
const RESTART_EVERY = 40;
/** The user edits a message three turns back after every so many turns. */
const EDIT_EVERY = 29;
const EDITED_TURNS = 3;
/** Turns that are compared with the same agent without Palimpsest: fewer than fill the window. */
const TIMED_TURNS = 12;

/** Figures of one door. Decisions, compactions, restarts and edits are what the conversation had of them. */
export interface DoorFigures {
  readonly turns: number;
  readonly requests: number;
  readonly refused: number;
  readonly prefix_kept_pct: number;
  readonly decisions: number;
  readonly compactions: number;
  readonly restarts: number;
  readonly edits: number;
  readonly lines_to_adopt: number;
  /** Processor time of a turn, with all its requests. */
  readonly overhead_ms_p50?: number;
  readonly versions: readonly string[];
}

/** Leads a long conversation through a door: with tools, restarts and edits of history. */
export async function driveDoor(
  door: Door,
  { turns, windowTokens, compared = "times" }: DrivePlan,
): Promise<DoorFigures> {
  const { service = "messages" } = door;
  const server = await serveModel(service, windowTokens);
  const kept = memoryStore();
  const { store, openings } = countOpenings(kept);
  const place: DoorPlace = {
    url: server.url,
    model: MODELS[service],
    windowTokens,
    store,
    session: "a-conversation",
    adopted: "palimpsest",
  };
  // First, so that both find warm code.
  const bareMs = compared === "times" ? await timeBare(door, place) : undefined;
  let [restarts, edits] = [0, 0];
  const times: number[] = [];
  try {
    let agent = await door.open(place);
    for (let turn = 1; turn <= turns; turn++) {
      times.push(await timeTurn(agent, turn));
      // What no turn follows shows nothing.
      if (turn === turns) continue;
      if (turn % EDIT_EVERY === 0) {
        agent.removeTurns(EDITED_TURNS);
        edits++;
      }
      if (turn % RESTART_EVERY !== 0) continue;
      const saved = agent.save();
      await agent.close();
      agent = await door.open({ ...place, saved });
      restarts++;
    }
    await agent.close();
    const { exchanges } = server.recorder;
    const { keptPct, requests, compactions, decisions, rewinds } = await measurePrefix(exchanges, kept, place.session);
    // A door that forgets to remove messages, or to close, is not measured; nor is one that goes back where nobody edited.
    const reopened = openings(place.session) - 1;
    if (rewinds !== edits) throw new Error(`${door.name}: ${edits} edits, and the session went back ${rewinds} times.`);
    if (reopened < restarts) throw new Error(`${door.name}: ${restarts} restarts, and ${reopened} times opened again.`);
    return {
      turns,
      requests,
      refused: exchanges.filter(({ outcome }) => outcome.kind === "refused" || outcome.kind === "broken").length,
      prefix_kept_pct: keptPct,
      decisions,
      compactions,
      restarts,
      edits,
      lines_to_adopt: door.lines,
      ...(bareMs === undefined ? {} : { overhead_ms_p50: round(median(times.slice(0, TIMED_TURNS)) - bareMs) }),
      versions: door.versions,
    };
  } finally {
    await server.close();
    await kept.close();
  }
}

/** The same store, and how often a session was opened to be written. */
function countOpenings(kept: Store): { readonly store: Store; openings(session: string): number } {
  const opened: string[] = [];
  const store: Store = {
    ...kept,
    openWriter(session, options) {
      opened.push(session);
      return kept.openWriter(session, options);
    },
  };
  return { store, openings: (session) => opened.filter((one) => one === session).length };
}

/** Milliseconds of the processor: what else the machine does is no part of them. */
async function timeTurn(agent: DoorAgent, turn: number): Promise<number> {
  const before = process.cpuUsage();
  await agent.turn(`Step ${turn}: read the next files.`);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The same turns without Palimpsest, on a server of their own. */
async function timeBare(door: Door, place: DoorPlace): Promise<number> {
  const server = await serveModel(door.service ?? "messages", place.windowTokens, "none");
  const times: number[] = [];
  try {
    const agent = await door.open({ ...place, url: server.url, adopted: "bare" });
    for (let turn = 1; turn <= TIMED_TURNS; turn++) {
      times.push(await timeTurn(agent, turn));
    }
    await agent.close();
    return median(times.slice(TIMED_TURNS / 2));
  } finally {
    await server.close();
  }
}
