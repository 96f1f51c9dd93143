/**
 * Reads the logs of `palimpsest proxy` (`~/.palimpsest/proxy/*.jsonl`): one conversation each, as it went over the wire.
 * In: lines. Out: the messages of the conversation and what each response used.
 * Left out: lines about cache breaks, which the analysis finds itself, and the client's copies of what the model said.
 * A request has only what is new in it, and says how it follows the one before (`relation`, `kept`).
 */
import { asCount, asList, asObject, asString, asStrings, type JsonObject, present } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readRecords, type TranscriptRecord } from "./read-records.ts";
import {
  PROMPT_PARTS,
  type PromptPart,
  type RecordedEntry,
  type RecordedHead,
  type RecordedMessage,
  type RecordedPosition,
} from "./recorded.ts";
import { toWireMessage, toWireUsage, WIRE_APIS, type WireApi } from "./wire.ts";

/** The state of the reader. */
interface Place {
  api: WireApi;
  atMs: number;
  model?: string;
  /** The entry of each message in the client's list. */
  ids: (string | undefined)[];
  /** The entry that the next one follows. */
  lastId?: string;
  /** Parts of the request that the one before had otherwise. */
  changed: readonly PromptPart[];
  /** Recorded where it changes. */
  head?: RecordedHead;
  /** Responses with usage. */
  readonly counted: Set<string>;
}

/** Memory grows with the number of messages (an id each). */
export async function* readProxy(lines: TranscriptLines): AsyncGenerator<RecordedEntry> {
  const place: Place = { api: "messages", atMs: 0, ids: [], changed: [], counted: new Set() };
  let hasSession = false;
  for await (const record of readRecords(lines)) {
    if (record.kind === "damage") {
      yield record;
      continue;
    }
    const { fields } = record;
    place.atMs = asTimeMs(fields["atMs"]) ?? place.atMs;
    if (isHead(fields)) {
      if (!hasSession) yield* startSession(place, fields);
      hasSession = true;
    } else if (fields["type"] === "request") {
      yield* addRequest(place, record);
    } else if (fields["type"] === "response") {
      yield* addResponse(place, record);
    }
  }
}

/** The first line of a log. */
export function isHead(fields: JsonObject): boolean {
  return typeof fields["proxy"] === "number" && typeof fields["id"] === "string" && typeof fields["api"] === "string";
}

function* startSession(place: Place, fields: JsonObject): Generator<RecordedEntry> {
  place.api = WIRE_APIS.find((api) => api === fields["api"]) ?? "messages";
  yield {
    kind: "session",
    agent: "proxy",
    id: asString(fields["id"]) ?? "unknown",
    startedAtMs: place.atMs,
    version: String(asCount(fields["proxy"]) ?? 1),
    // The log of an agent within a session belongs to that session.
    parentSession: fields["agent"] === undefined ? undefined : asString(fields["session"]),
  };
}

function* addRequest(place: Place, record: TranscriptRecord): Generator<RecordedEntry> {
  const { fields } = record;
  const items = asList(fields["items"]);
  if (items === undefined) {
    yield { kind: "damage", line: record.line, reason: "malformed" };
    return;
  }
  const model = asString(fields["model"]);
  if (model !== undefined) place.model = model;
  const changed = asStrings(fields["changed"]);
  place.changed = PROMPT_PARTS.filter((part) => changed.includes(part));
  const head = toHead(fields["head"]);
  if (head !== undefined) place.head = head;
  const kept = Math.min(asCount(fields["kept"]) ?? 0, place.ids.length);
  const echoed = Math.min(asCount(fields["echoed"]) ?? 0, MAX_ECHOED);
  const messages = toMessages(place, record, items);
  const before = place.ids.slice(0, kept);
  place.ids = [...before, ...Array.from({ length: echoed }, () => place.lastId), ...messages.map(({ id }) => id)];
  const id = `entry-${record.index}`;
  switch (fields["relation"]) {
    case "cleared":
      yield { ...position(place, id), kind: "microcompaction", clearedCallIds: asStrings(fields["calls"]) };
      break;
    case "replaced":
      yield { ...position(place, id), kind: "compaction", trigger: "unknown", kept: { kind: "replacement", messages } };
      // They are part of that entry.
      place.ids = messages.map(() => id);
      place.lastId = id;
      return;
    case "branches":
      if (messages[0]?.origin === "human") {
        const parentId = before.at(-1);
        if (parentId === undefined) delete place.lastId;
        else place.lastId = parentId;
      } else {
        const ids = before.filter((one) => one !== undefined);
        yield { ...position(place, id), kind: "compaction", trigger: "unknown", kept: { kind: "listed", ids } };
      }
      break;
  }
  for (const message of messages) {
    const { parentId: _, ...rest } = message;
    yield { ...rest, parentId: place.lastId };
    place.lastId = message.id;
  }
}

/** More messages than one response has. */
const MAX_ECHOED = 1_000;

/** What the model said before the proxy saw it was paid for elsewhere. */
function toMessages(place: Place, { index }: TranscriptRecord, items: readonly unknown[]): readonly RecordedMessage[] {
  return items.flatMap((item, at) => {
    const message = toWireMessage(place.api, item);
    if (message === undefined) return [];
    const id = `entry-${index}/${at}`;
    const isModel = message.origin === "model";
    const where = { ...position(place, id), branch: isModel ? ("inherited" as const) : ("main" as const) };
    return [{ ...where, kind: "message" as const, ...message, ...(isModel ? { responseId: id } : {}) }];
  });
}

function* addResponse(place: Place, { fields, index }: TranscriptRecord): Generator<RecordedEntry> {
  const responseId = asString(fields["id"]) ?? `response-${index}`;
  const named = present({ model: asString(fields["model"]) ?? place.model });
  for (const [at, item] of (asList(fields["items"]) ?? []).entries()) {
    const message = toWireMessage(place.api, item);
    if (message === undefined) continue;
    const id = `entry-${index}/${at}`;
    yield { ...position(place, id), kind: "message", ...message, origin: "model", responseId, ...named };
    place.lastId = id;
  }
  const usage = toWireUsage(place.api, fields["usage"]);
  if (usage === undefined || place.counted.has(responseId)) return;
  place.counted.add(responseId);
  const outputCount = fields["ended"] === "whole" ? "final" : "provisional";
  const prompt = { promptChanges: place.changed, head: place.head };
  yield { kind: "usage", responseId, branch: "main", atMs: place.atMs, ...named, ...usage, outputCount, ...prompt };
}

function toHead(value: unknown): RecordedHead | undefined {
  const fields = asObject(value);
  if (fields === undefined) return undefined;
  const tools = (asList(fields["tools"]) ?? []).flatMap((one) => {
    const tool = asObject(one);
    const [name, bytes] = [asString(tool?.["name"]), asCount(tool?.["bytes"])];
    return name === undefined || bytes === undefined ? [] : [{ name, bytes }];
  });
  return { systemBytes: asCount(fields["systemBytes"]) ?? 0, tools };
}

function position({ atMs, lastId }: Place, id: string): RecordedPosition {
  return { id, parentId: lastId, branch: "main", atMs };
}
