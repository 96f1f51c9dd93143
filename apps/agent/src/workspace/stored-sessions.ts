// Lists, finds and deletes the sessions in a store.
import { randomUUID } from "node:crypto";
import { isAgentSession } from "@palimpsest/agents";
import type { Store } from "palimpsest";
import { eachSession, entryText, readPayload } from "palimpsest/inspect";
import type { LogReader } from "palimpsest/store-parts";
import { oneLine } from "../text/table.ts";
import { UsageError } from "./usage-error.ts";

/** The provider and model of a session's last request, from its log. */
export interface UsedBefore {
  readonly provider: string;
  readonly model: string;
  /** The server's address; absent for the provider's own endpoint. */
  readonly baseUrl?: string;
}

export interface StoredSession {
  readonly id: string;
  /** The beginning of its first message, in one line. */
  readonly title: string;
  readonly startedAtMs: number;
  readonly usedAtMs: number;
  readonly entries: number;
  readonly usedBefore?: UsedBefore;
}

/** How many entries to search for the first user message, which directly follows the configuration. */
const FIRST_ENTRIES = 20;
const TITLE_CHARACTERS = 60;

/** Lists the sessions in a store, last used first. */
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

/** Finds a session. @param wanted a session id or its first characters. @default the newest session */
export async function findSession(store: Store, wanted?: string): Promise<StoredSession> {
  const sessions = await listSessions(store);
  const exact = sessions.find(({ id }) => id === wanted) ?? (await findUnlisted(store, wanted));
  const found =
    exact === undefined ? sessions.filter(({ id }) => wanted === undefined || id.startsWith(wanted)) : [exact];
  const [first] = found;
  if (first === undefined) {
    const which = wanted === undefined ? "no session yet" : `no session ${JSON.stringify(wanted)}`;
    throw new UsageError(
      `This folder has ${which}. To list its sessions: palimpsest sessions. To start one: palimpsest`,
    );
  }
  if (wanted !== undefined && found.length > 1) {
    throw new UsageError(
      `${JSON.stringify(wanted)} matches ${found.length} sessions: ${found.map(({ id }) => id).join(", ")}. Type more characters of the id.`,
    );
  }
  return first;
}

/**
 * The model to resume a session with: its own model if the provider is the same, because that keeps its prompt cache.
 */
export function modelOf(
  { usedBefore }: Pick<StoredSession, "usedBefore">,
  { name }: { readonly name: string },
  otherwise: string,
): string {
  return usedBefore?.provider === name ? usedBefore.model : otherwise;
}

/** Sessions of agents and dreams are not listed, because users do not resume them. */
function isUnlisted(id: string): boolean {
  return isAgentSession(id) || isDreamSession(id);
}

/** Finds an unlisted session by its full id. */
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
  const firstMessage = first.find((entry) => {
    const { kind, payload } = readPayload(entry) as { kind: string; payload?: { readonly origin?: string } };
    return kind === "message" && payload?.origin === "human";
  });
  const title = oneLine((firstMessage && entryText(firstMessage)) ?? "", TITLE_CHARACTERS) || "(no message yet)";
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

const DREAM = "dream-";

/** Creates the id of a dream's session. These sessions are not listed, and later dreams do not read them. */
export function newDreamSession(): string {
  return `${DREAM}${randomUUID()}`;
}

function isDreamSession(id: string): boolean {
  return id.startsWith(DREAM);
}

type DeletedSession =
  | { readonly kind: "deleted"; readonly agents: number }
  /** The session was not deleted. `why` says what to do. */
  | { readonly kind: "refused"; readonly why: string };

/**
 * Deletes a session with its results, and the sessions of its agents. Deletes the innermost agents first, because a
 * session that a fork cites cannot be deleted.
 */
export async function deleteSession(store: Store, session: string): Promise<DeletedSession> {
  const busy = await store.writerOf(session);
  if (busy !== undefined) return { kind: "refused", why: inUse(session, busy.owner) };
  const agents: string[] = [];
  for await (const { id } of eachSession(store)) {
    if (isAgentSession(id) && id.startsWith(`${session}-`)) agents.push(id);
  }
  const innermostFirst = agents.toSorted((one, other) => other.length - one.length);
  for (const id of [...innermostFirst, session]) {
    const result = await store.delete(id);
    if (result.kind === "busy") return { kind: "refused", why: inUse(id, result.owner) };
    if (result.kind === "cited") {
      const forks = result.forks.join(", ");
      return { kind: "refused", why: `Session ${id} has forks that show its entries. Delete them first: ${forks}.` };
    }
  }
  return { kind: "deleted", agents: agents.length };
}

function inUse(session: string, owner: string): string {
  return `Session ${session} is in use by ${owner}. Close that program, then delete the session.`;
}
