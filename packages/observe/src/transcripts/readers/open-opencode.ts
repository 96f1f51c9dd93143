import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { asObject, type JsonObject } from "palimpsest/schema";
import type { OpencodeMessage, OpencodeSession } from "./read-opencode.ts";
import { toRecord } from "./read-records.ts";
import type { RecordedDamage } from "./recorded.ts";

interface Row {
  readonly id: string;
  readonly data: string;
}

/** A database of opencode (`~/.local/share/opencode/opencode.db`), read while opencode may write to it. */
export interface OpencodeDatabase {
  /** The ids of its sessions, oldest first; none if the database is broken or belongs to another program. */
  sessions(): readonly string[];
  /** Returns undefined if no session has that id. */
  session(id: string): OpencodeSession | undefined;
  close(): void;
}

export function openOpencodeDatabase(path: string): OpencodeDatabase {
  const database = new DatabaseSync(path, { readOnly: true });
  const query = (sql: string, ...values: readonly string[]): readonly Record<string, unknown>[] => {
    try {
      return database.prepare(sql).all(...values);
    } catch {
      return [];
    }
  };
  return {
    sessions: () => query("SELECT id FROM session ORDER BY time_created, id").map(({ id }) => String(id)),
    session(id) {
      const [row] = query("SELECT * FROM session WHERE id = ?", id);
      if (row === undefined) return undefined;
      const { parent_id: parentID, time_created: created, ...fields } = row;
      return { info: { ...fields, parentID, time: { created } }, messages: readRows(database, id) };
    },
    close: () => database.close(),
  };
}

/** Reads one message at a time. A broken database is read up to the broken place. */
function* readRows(database: DatabaseSync, session: string): Generator<OpencodeMessage | RecordedDamage> {
  let number = 0;
  try {
    const messages = database.prepare("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id");
    const parts = database.prepare("SELECT id, data FROM part WHERE message_id = ? ORDER BY id");
    for (const row of messages.iterate(session)) {
      const { id, data } = row as unknown as Row;
      const info = parse(data, ++number);
      const read = parts.all(id).map((part) => parse((part as unknown as Row).data, ++number));
      yield* toMessage(id, info, read);
    }
  } catch {
    yield { kind: "damage", line: number + 1, reason: "cut-off" };
  }
}

/**
 * A session in the files that versions before 1.2 kept: `storage/session/<project>/<session>.json`,
 * `storage/message/<session>/<message>.json` and `storage/part/<message>/<part>.json`. Names sort by time.
 */
export async function openOpencodeFiles(path: string): Promise<OpencodeSession | undefined> {
  const storage = dirname(dirname(dirname(path)));
  const id = basename(path, ".json");
  const info = parse(await readFile(path, "utf8"), 1);
  return info.kind === "damage" ? undefined : { info: { ...info.fields, id }, messages: readFiles(storage, id) };
}

async function* readFiles(storage: string, session: string): AsyncGenerator<OpencodeMessage | RecordedDamage> {
  let number = 1;
  const messages = join(storage, "message", session);
  for (const name of await namesIn(messages)) {
    const id = basename(name, ".json");
    const info = parse(await readFile(join(messages, name), "utf8"), ++number);
    const folder = join(storage, "part", id);
    const parts = [];
    for (const part of await namesIn(folder)) parts.push(parse(await readFile(join(folder, part), "utf8"), ++number));
    yield* toMessage(id, info, parts);
  }
}

type Parsed = ReturnType<typeof toRecord>;

/** A message without its own record is lost with its parts; a lost part does not affect the others. */
function* toMessage(id: string, info: Parsed, parts: readonly Parsed[]): Generator<OpencodeMessage | RecordedDamage> {
  yield* parts.filter((part) => part.kind === "damage");
  if (info.kind === "damage") {
    yield info;
    return;
  }
  const whole: JsonObject[] = parts.flatMap((part) => (part.kind === "damage" ? [] : [part.fields]));
  yield { kind: "opencode-message", info: { ...info.fields, id }, parts: whole };
}

function parse(data: unknown, number: number): Parsed {
  return toRecord({ kind: "line", number, text: typeof data === "string" ? data : "" });
}

/** Returns no names if the folder does not exist: a message may have no parts. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  } catch (error) {
    if (asObject(error)?.["code"] === "ENOENT") return [];
    throw error;
  }
}
