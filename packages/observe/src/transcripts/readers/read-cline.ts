/**
 * Reads cline's tasks: `tasks/<id>/api_conversation_history.json` of the editor extension, a list of messages, and
 * `sessions/<id>/<id>.messages.json` of its newer runtime, an object with such a list.
 * In: the messages as lines, and what stands in other files beside them. Out: messages, what each response used, compactions.
 */
import { asCount, asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import type { ClineRequest } from "./cline-requests.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readRecords, type TranscriptRecord } from "./read-records.ts";
import type { RecordedEntry, RecordedMessage, RecordedPosition, RecordedSession, RecordedUsage } from "./recorded.ts";
import { toBlocks } from "./to-blocks.ts";

export interface ReadClineOptions {
  /** The id of the task, if only the file's location shows it. @default "unknown" */
  id?: string;
  /** Usage of the extension's requests, oldest first, from `ui_messages.json`. @default none */
  requests?: readonly ClineRequest[];
  /**
   * The messages with which the runtime replaced the first `count` messages, from `<id>.compaction.json`. @default
   * nothing
   */
  compaction?: { readonly messages: readonly unknown[]; readonly count: number; readonly atMs?: number };
}

/** The state of the reader. */
interface Place {
  readonly requests: ClineRequest[];
  head?: JsonObject;
  hasSession: boolean;
  /** The position of the next message among the messages. */
  index: number;
  atMs: number;
  lastId?: string;
  /** The newest request had left out the messages up to this one. */
  deletedTo: number;
  /** By position. */
  readonly ids: string[];
  readonly taken: Set<string>;
}

/** Memory grows with the number of messages (an id each) and requests. */
export async function* readCline(
  lines: TranscriptLines,
  { id = "unknown", requests = [], compaction }: ReadClineOptions = {},
): AsyncGenerator<RecordedEntry> {
  const start = { hasSession: false, index: 0, atMs: 0, deletedTo: -1 };
  const place: Place = { requests: [...requests], ids: [], taken: new Set(), ...start };
  for await (const record of readRecords(lines)) {
    if (record.kind === "damage") {
      // Its position is counted, so that the others keep theirs.
      place.ids.push(`entry-${place.index}`);
      place.index++;
      yield record;
      continue;
    }
    const { fields } = record;
    const isMessage = fields["role"] === "user" || fields["role"] === "assistant";
    if (!isMessage) {
      // The object before the messages has no start time.
      place.head ??= fields;
      continue;
    }
    place.atMs = asTimeMs(fields["ts"]) ?? nextRequestMs(place, fields) ?? place.atMs;
    if (!place.hasSession) yield toSession(place, id);
    place.hasSession = true;
    if (compaction !== undefined && compaction.count === place.index) yield compact(place, compaction);
    yield* toEntries(place, record);
    place.index++;
  }
}

/** A task of the extension is named after its start time. */
function toSession({ head = {}, atMs }: Place, id: string): RecordedSession {
  const version = asCount(head["version"]);
  return {
    kind: "session",
    agent: "cline",
    id: asString(head["sessionId"]) ?? id,
    startedAtMs: /^\d{13}$/.test(id) ? Number(id) : atMs,
    version: version === undefined ? undefined : String(version),
  };
}

/** Older messages have no time; a response gets the time of its request. */
function nextRequestMs({ requests, index }: Place, fields: JsonObject): number | undefined {
  const [next] = requests;
  return next !== undefined && fields["role"] === "assistant" && next.behind < index ? next.atMs : undefined;
}

function* toEntries(place: Place, { fields, line }: TranscriptRecord): Generator<RecordedEntry> {
  const { content } = fields;
  const own = asString(fields["id"]);
  // Of two messages with one id, the second is known by its position.
  const id = own === undefined || place.taken.has(own) ? `entry-${place.index}` : own;
  place.ids.push(id);
  place.taken.add(id);
  if (typeof content !== "string" && asList(content) === undefined) {
    yield { kind: "damage", line, reason: "malformed" };
    return;
  }
  const requests = fields["role"] === "assistant" ? takeRequests(place) : [];
  for (const request of requests) yield* leaveOut(place, request);
  const position: RecordedPosition = {
    id,
    parentId: place.lastId,
    branch: "main",
    atMs: place.atMs,
  };
  const message = toMessage(fields, position);
  yield message;
  place.lastId = id;
  if (message.role === "assistant") yield* toUsages(fields, { message, requests });
}

function toMessage(fields: JsonObject, position: RecordedPosition): RecordedMessage {
  const blocks = toBlocks(shown(fields["content"]));
  if (fields["role"] === "assistant") {
    const info = asObject(fields["modelInfo"]);
    const model = asString(info?.["id"] ?? info?.["modelId"]);
    const response = { responseId: position.id, model };
    return { kind: "message", ...position, role: "assistant", origin: "model", blocks, ...response };
  }
  const isTool = blocks.some((block) => block.kind === "tool_result");
  return { kind: "message", ...position, role: "user", origin: isTool ? "tool" : "human", blocks };
}

/** An attached file is shown as its text. */
function shown(content: unknown): unknown {
  return (
    asList(content)?.map((value) => {
      const block = asObject(value);
      if (block?.["type"] === "tool_result") return { ...block, content: shown(block["content"]) };
      return block?.["type"] === "file" ? { type: "text", text: block["content"] } : value;
    }) ?? content
  );
}

/** Takes the requests made before this response. If there are several, the others failed, and were billed. */
function takeRequests(place: Place): ClineRequest[] {
  const later = place.requests.findIndex(({ behind }) => behind >= place.index);
  return place.requests.splice(0, later === -1 ? place.requests.length : later);
}

function* toUsages(
  fields: JsonObject,
  { message, requests }: { message: RecordedMessage; requests: readonly ClineRequest[] },
): Generator<RecordedUsage> {
  const { id, branch, atMs, model } = message;
  const metrics = toMetrics(asObject(fields["metrics"]));
  const common = { kind: "usage", branch, model } as const;
  if (metrics !== undefined) yield { ...common, responseId: id, atMs, ...metrics };
  const used = metrics === undefined ? requests.filter(({ usage }) => usage !== undefined) : [];
  for (const [index, request] of used.entries()) {
    const responseId = index === used.length - 1 ? id : `${id}/try-${index + 1}`;
    yield { ...common, responseId, atMs: request.atMs, ...request.usage! };
  }
}

/** The runtime counts cache reads and writes as part of the input. */
function toMetrics(metrics: JsonObject | undefined): ClineRequest["usage"] {
  const inputTokens = asCount(metrics?.["inputTokens"]);
  if (inputTokens === undefined || inputTokens === 0) return undefined;
  const cacheReadTokens = Math.min(asCount(metrics?.["cacheReadTokens"]) ?? 0, inputTokens);
  const cacheWriteTokens = Math.min(asCount(metrics?.["cacheWriteTokens"]) ?? 0, inputTokens - cacheReadTokens);
  return {
    freshTokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asCount(metrics?.["outputTokens"]) ?? 0,
    outputCount: "final",
    costUsd: asCount(metrics?.["cost"]) || undefined,
  };
}

/** From this request on, the oldest messages except the first were no longer sent. */
function* leaveOut(place: Place, { deleted, atMs }: ClineRequest): Generator<RecordedEntry> {
  if (deleted === undefined || deleted.to <= place.deletedTo) return;
  place.deletedTo = deleted.to;
  const before = place.ids.slice(0, place.index);
  const kept = before.filter((_, index) => index < deleted.from || index > deleted.to);
  const id = `entry-${place.index}/left-out`;
  const position: RecordedPosition = { id, parentId: place.lastId, branch: "main", atMs };
  yield { kind: "compaction", ...position, trigger: "auto", kept: { kind: "listed", ids: kept } };
  place.lastId = id;
}

function compact(
  place: Place,
  { messages, atMs = place.atMs }: NonNullable<ReadClineOptions["compaction"]>,
): RecordedEntry {
  const id = `entry-${place.index}/compaction`;
  const position: RecordedPosition = { id, parentId: place.lastId, branch: "main", atMs };
  const kept = messages.flatMap((value, index): RecordedMessage[] => {
    const fields = asObject(value) ?? {};
    const parentId = index === 0 ? id : `${id}/${index - 1}`;
    const { responseId: _, ...message } = toMessage(fields, { ...position, id: `${id}/${index}`, parentId });
    const isOld = place.ids.includes(asString(fields["id"]) ?? "");
    return [isOld || message.role === "assistant" ? message : { ...message, origin: "summary" }];
  });
  place.lastId = id;
  return { kind: "compaction", ...position, trigger: "unknown", kept: { kind: "replacement", messages: kept } };
}
