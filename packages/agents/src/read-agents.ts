import type { Store } from "palimpsest";
import { forkedReader, loadView, readLedgerLines, readPayload } from "palimpsest/inspect";
import type { Entry, LogReader } from "palimpsest/store-parts";

import type { KnownAgent } from "./start-agent.ts";

/** An agent by the logs, for observers in another process. */
export interface StoredAgent extends KnownAgent {
  readonly responses: number;
  /** All tokens that it has used, cache reads included. */
  readonly tokens: number;
  readonly priceUsd: number;
  readonly startedAtMs: number;
  /** The time of its last activity. */
  readonly activeAtMs: number;
  /** Its last activity: the tool that it called, or the beginning of its text. */
  readonly doing?: string;
}

const DOING_CHARACTERS = 60;

/** Reads the agents of a session from the logs. Nothing is opened for writing, so the session may be running elsewhere. */
export async function readAgents(store: Pick<Store, "openReader">, session: string): Promise<readonly StoredAgent[]> {
  return (
    (await reading(store, session, async (log) => {
      const { carriedState } = await loadView(log, (await log.head()).sequence);
      return Promise.all(carriedState.agents.map((agent) => describe(store, log, agent)));
    })) ?? []
  );
}

async function describe(store: Pick<Store, "openReader">, parent: LogReader, agent: KnownAgent): Promise<StoredAgent> {
  const [started] = await parent.read(agent.entry, agent.entry);
  const startedAtMs = started?.atMs ?? 0;
  const idle: StoredAgent = { ...agent, responses: 0, tokens: 0, priceUsd: 0, startedAtMs, activeAtMs: startedAtMs };
  const found = await reading(store, agent.session, async (log): Promise<StoredAgent> => {
    let [responses, tokens, priceUsd] = [0, 0, 0];
    const { whole, sharedTo } = await withParent(log, parent);
    for await (const line of readLedgerLines(whole, sharedTo + 1)) {
      responses++;
      tokens += line.freshTokens + line.cacheReadTokens + line.cacheWriteTokens + line.outputTokens;
      priceUsd += line.priceUsd ?? 0;
    }
    const { sequence } = await log.head();
    const [newest] = await log.read(sequence, sequence);
    const message = await log.newest("message");
    const doing = message && doingOf(message);
    return {
      ...idle,
      responses,
      tokens,
      priceUsd,
      activeAtMs: newest?.atMs ?? startedAtMs,
      doing,
    };
  });
  return found ?? idle;
}

/** The requests of a fork continue its parent's numbers: with these numbers its responses find their prices. */
async function withParent(log: LogReader, parent: LogReader): Promise<{ whole: LogReader; sharedTo: number }> {
  const [first] = await log.read(1, 1);
  const read = first && readPayload(first);
  if (read?.kind !== "fork") return { whole: log, sharedTo: 0 };
  const { sequence, configuration } = read.payload;
  return { whole: forkedReader({ reader: parent, sequence, configuration }, log), sharedTo: sequence };
}

function doingOf(entry: Entry): string | undefined {
  const read = readPayload(entry);
  if (read.kind !== "message") return undefined;
  const block = read.payload.blocks.findLast(({ kind }) => kind === "tool_call" || kind === "text");
  if (read.payload.role !== "assistant" || block === undefined) return undefined;
  if (block.kind === "text") return short(block.text);
  if (block.kind !== "tool_call") return undefined;
  const main = Object.values((block.input ?? {}) as object).find((value) => typeof value === "string");
  return short(`${block.name} ${main ?? ""}`);
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= DOING_CHARACTERS ? line : `${line.slice(0, DOING_CHARACTERS - 1).toWellFormed()}…`;
}

async function reading<Result>(
  store: Pick<Store, "openReader">,
  session: string,
  read: (log: LogReader) => Promise<Result>,
): Promise<Result | undefined> {
  const log = await store.openReader(session);
  if (log === undefined) return undefined;
  try {
    return await read(log);
  } finally {
    await log.close();
  }
}
