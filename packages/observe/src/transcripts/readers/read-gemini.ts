/**
 * Reads Gemini CLI's sessions (`~/.gemini/tmp/<project>/chats/session-*.jsonl`; before 0.34 one JSON document, `.json`).
 * In: lines. Out: messages, calls with their results, what each response used, compressions.
 * Left out: what only the display shows (infos, warnings, errors). A message is written again whenever something is added to
 * it; the last of its lines counts. The model's name for its own id is not recorded: a message is a response.
 */
import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readRecords } from "./read-records.ts";
import type { RecordedEntry, RecordedKept, RecordedMessage, RecordedPosition, RecordedSession } from "./recorded.ts";
import { resultSizes, toGeminiEntries } from "./to-gemini-entries.ts";

/** The state of the reader. */
interface Place {
  session?: RecordedSession;
  atMs: number;
  /** The newest message: it may be written again. */
  held?: { readonly fields: JsonObject; readonly atMs: number };
  /** The entry that the next one follows, and for each emitted message, the entry it follows. */
  lastId?: string;
  readonly parents: Map<string, string | undefined>;
  /** The length of each call's result: a shorter one later was cut. */
  readonly sizes: Map<string, number>;
}

export interface ReadGeminiOptions {
  /** The parent session of a subagent, if the file's location shows it. */
  parentSession?: string;
}

/** Memory grows with the number of messages (an id each). */
export async function* readGemini(
  lines: TranscriptLines,
  { parentSession }: ReadGeminiOptions = {},
): AsyncGenerator<RecordedEntry> {
  const place: Place = { atMs: 0, parents: new Map(), sizes: new Map() };
  for await (const record of readRecords(lines)) {
    if (record.kind === "damage") {
      yield record;
      continue;
    }
    const { fields, index } = record;
    const rewindTo = asString(fields["$rewindTo"]);
    const set = asObject(fields["$set"]);
    if (rewindTo !== undefined) {
      yield* settle(place);
      rewind(place, rewindTo);
    } else if (set !== undefined) {
      const messages = asList(set["messages"]);
      place.atMs = asTimeMs(set["lastUpdated"]) ?? place.atMs;
      if (messages === undefined) continue;
      yield* settle(place);
      yield* replaceHistory(place, `entry-${index}`, messages);
    } else if (typeof fields["id"] === "string") {
      if (asString(place.held?.fields["id"]) !== fields["id"]) yield* settle(place);
      place.atMs = asTimeMs(fields["timestamp"]) ?? place.atMs;
      // An emitted message does not change any more.
      if (!place.parents.has(fields["id"])) place.held = { fields, atMs: place.atMs };
    } else if (place.session === undefined && typeof fields["sessionId"] === "string") {
      place.atMs = asTimeMs(fields["startTime"]) ?? place.atMs;
      const isSubagent = fields["kind"] === "subagent";
      place.session = {
        kind: "session",
        agent: "gemini",
        id: fields["sessionId"],
        startedAtMs: place.atMs,
        parentSession: isSubagent ? parentSession : undefined,
      };
      yield place.session;
    }
  }
  yield* settle(place);
}

/** Emits the held message. */
function* settle(place: Place): Generator<RecordedEntry> {
  const { held } = place;
  if (held === undefined) return;
  delete place.held;
  const id = asString(held.fields["id"]) ?? "";
  const position: RecordedPosition = { id, parentId: place.lastId, branch: "main", atMs: held.atMs };
  place.parents.set(id, place.lastId);
  for (const [callId, size] of resultSizes(held.fields)) place.sizes.set(callId, size);
  for (const entry of toGeminiEntries(held.fields, position)) {
    yield entry;
    if (entry.kind === "message") place.lastId = entry.id;
  }
}

/** Continues the conversation from before that message; from its beginning, if the message is unknown. */
function rewind(place: Place, to: string): void {
  const parentId = place.parents.get(to);
  if (parentId === undefined) delete place.lastId;
  else place.lastId = parentId;
}

/** The agent replaced the conversation by another history: a summary, or the same messages with results cut. */
function* replaceHistory(place: Place, id: string, messages: readonly unknown[]): Generator<RecordedEntry> {
  const listed = messages.map((message) => asObject(message) ?? {});
  const ids = new Set(listed.map((fields) => asString(fields["id"])));
  const isSame = ids.size === place.parents.size && listed.every((fields) => place.parents.has(idOf(fields)));
  const position: RecordedPosition = {
    id,
    parentId: place.lastId,
    branch: "main",
    atMs: place.atMs,
  };
  if (isSame) {
    const sizes = listed.flatMap((fields) => [...resultSizes(fields)]);
    const clearedCallIds = sizes
      .filter(([callId, size]) => size < (place.sizes.get(callId) ?? 0))
      .map(([call]) => call);
    for (const [callId, size] of sizes) place.sizes.set(callId, size);
    if (clearedCallIds.length > 0) yield { kind: "microcompaction", ...position, clearedCallIds };
  } else {
    yield { kind: "compaction", ...position, trigger: "unknown", kept: toKept(place, position, listed) };
    for (const known of [...place.parents.keys()]) if (!ids.has(known)) place.parents.delete(known);
    for (const fields of listed) place.parents.set(idOf(fields), id);
  }
  place.lastId = id;
}

function toKept(place: Place, { id, atMs }: RecordedPosition, listed: readonly JsonObject[]): RecordedKept {
  let parentId = id;
  const messages = listed.flatMap((fields, index) => {
    const isNew = !place.parents.has(idOf(fields));
    const entries = toGeminiEntries(fields, { id: `${id}/${index}`, parentId, branch: "main", atMs });
    return entries.flatMap((entry) => {
      if (entry.kind !== "message") return [];
      parentId = entry.id;
      const { responseId: _, ...message } = entry;
      return [isNew ? toSummary(message) : message];
    });
  });
  return { kind: "replacement", messages };
}

/** Messages that are new in the history are the summary, and the fake reply that acknowledges it. */
function toSummary(message: RecordedMessage): RecordedMessage {
  return { ...message, origin: message.role === "user" ? "summary" : "agent" };
}

function idOf(fields: JsonObject): string {
  return asString(fields["id"]) ?? "";
}
