import { isAgentSession } from "@palimpsest/agents";
import type { Store } from "palimpsest";
import { eachSession, entryText, type LogReader, readPayload } from "palimpsest/core";
import { oneLine } from "../text/table.ts";
import { isDreamSession } from "./dream-session.ts";
import { UsageError } from "./usage-error.ts";

/** What a session was last sent to, in the words of its log. */
export interface UsedBefore {
  readonly provider: string;
  readonly model: string;
  /** Where it went, if that was not the provider's own endpoint. */
  readonly baseUrl?: string;
}

export interface StoredSession {
  readonly id: string;
  /** How it began, in one line. */
  readonly title: string;
  readonly startedAtMs: number;
  readonly usedAtMs: number;
  readonly entries: number;
  readonly usedBefore?: UsedBefore;
}

/** The user's first words stand at the very beginning, behind the configuration. */
const FIRST_ENTRIES = 20;
const TITLE_CHARACTERS = 60;

/** The sessions of a store, the one that was used last first. */
export async function listSessions(store: Store): Promise<readonly StoredSession[]> {
  const sessions: StoredSession[] = [];
  for await (const { id } of eachSession(store)) {
    if (isUnlisted(id)) continue;
    const reader = await store.openReader(id);
    if (reader === undefined) continue;
    sessions.push(await describe(id, reader));
    await reader.close();
  }
  return sessions.toSorted((one, other) => other.usedAtMs - one.usedAtMs);
}

/** @param wanted an id or its beginning; the newest if there is none */
export async function findSession(store: Store, wanted?: string): Promise<StoredSession> {
  const sessions = await listSessions(store);
  const exact = sessions.find(({ id }) => id === wanted) ?? (await findUnlisted(store, wanted));
  const found =
    exact === undefined ? sessions.filter(({ id }) => wanted === undefined || id.startsWith(wanted)) : [exact];
  const [first] = found;
  if (first === undefined) {
    const which = wanted === undefined ? "no session" : `no session ${JSON.stringify(wanted)}`;
    throw new UsageError(`There is ${which} in this project. palimpsest sessions lists them; -p "..." begins one.`);
  }
  if (wanted !== undefined && found.length > 1) {
    throw new UsageError(
      `${JSON.stringify(wanted)} begins ${found.length} sessions: ${found.map(({ id }) => id).join(", ")}.`,
    );
  }
  return first;
}

/** Those of agents and dreams: a person does not go on with them. */
function isUnlisted(id: string): boolean {
  return isAgentSession(id) || isDreamSession(id);
}

/** Who knows the id of one finds it. */
async function findUnlisted(store: Store, wanted: string | undefined): Promise<StoredSession | undefined> {
  if (wanted === undefined || !isUnlisted(wanted)) return undefined;
  const reader = await store.openReader(wanted);
  try {
    return reader && (await describe(wanted, reader));
  } finally {
    await reader?.close();
  }
}

async function describe(id: string, reader: LogReader): Promise<StoredSession> {
  const { sequence } = await reader.head();
  const first = await reader.read(1, FIRST_ENTRIES);
  const [newest] = await reader.read(sequence, sequence);
  const configured = await reader.newest("configuration");
  const read = configured && readPayload(configured);
  const said = first.find((entry) => {
    const { kind, payload } = readPayload(entry) as { kind: string; payload?: { readonly origin?: string } };
    return kind === "message" && payload?.origin === "human";
  });
  const title = oneLine((said && entryText(said)) ?? "", TITLE_CHARACTERS) || "(nothing said yet)";
  return {
    id,
    title,
    startedAtMs: first[0]?.atMs ?? 0,
    usedAtMs: newest?.atMs ?? 0,
    entries: sequence,
    ...(read?.kind === "configuration"
      ? { usedBefore: { provider: read.payload.provider, model: read.payload.model } }
      : {}),
  };
}
