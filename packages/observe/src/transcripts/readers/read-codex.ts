/**
 * Reads Codex rollouts (`~/.codex/sessions/<date>/rollout-*.jsonl`, the format with `session_meta`).
 * In: lines. Out: the instructions, the items of the conversation and what each response used.
 * Left out: the events that tell the display of the same items once more. No item has a parent or a response in the file:
 * an item follows the one before it, and a response is a run of items by the model.
 */
import { asCount, asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readRecords } from "./read-records.ts";
import type {
  RecordedBranch,
  RecordedEntry,
  RecordedKept,
  RecordedMessage,
  RecordedPosition,
  RecordedUsage,
} from "./recorded.ts";
import { type CodexItem, toCodexItem } from "./to-codex-item.ts";
import { toCodexUsage } from "./to-codex-usage.ts";

/** The state of the reader. */
interface Place {
  sessionId?: string;
  branch: RecordedBranch;
  atMs: number;
  /** The id of the current line. */
  id: string;
  /** The entry that the next one follows. */
  lastId?: string;
  /** For each user message, the entry it follows: the target of a rollback. */
  turnParents: (string | undefined)[];
  model?: string;
  /** The number of responses begun, and the number of the last one with known usage. */
  responseCount: number;
  countedResponse: number;
  /** Whether the next item of the model belongs to the same response as the last. */
  response: "open" | "over";
  /** The sums of all usage so far, to recognize a repeated report. */
  sums?: string;
  contextTokens?: number;
}

/** Memory grows with the number of the user's messages (an id each). */
export async function* readCodex(lines: TranscriptLines): AsyncGenerator<RecordedEntry> {
  const place: Place = {
    branch: "main",
    atMs: 0,
    id: "",
    turnParents: [],
    responseCount: 0,
    countedResponse: 0,
    response: "over",
  };
  for await (const record of readRecords(lines)) {
    if (record.kind === "damage") {
      yield record;
      continue;
    }
    const payload = asObject(record.fields["payload"]);
    if (payload === undefined) {
      yield { kind: "damage", line: record.line, reason: "malformed" };
      continue;
    }
    place.id = `entry-${record.index}`;
    place.atMs = asTimeMs(record.fields["timestamp"]) ?? place.atMs;
    switch (record.fields["type"]) {
      case "session_meta":
        yield* startSession(place, payload);
        break;
      case "turn_context":
        startTurn(place, payload);
        break;
      case "response_item":
        yield* addItem(place, toCodexItem(payload));
        break;
      case "compacted":
        yield* compact(place, payload);
        break;
      case "event_msg":
        if (payload["type"] === "task_started") startTurn(place, payload);
        if (payload["type"] === "token_count") yield* countTokens(place, payload);
        if (payload["type"] === "thread_rolled_back") rollBack(place, payload);
        break;
    }
  }
}

function* startSession(place: Place, meta: JsonObject): Generator<RecordedEntry> {
  const id = asString(meta["id"]);
  if (place.sessionId !== undefined) {
    // A fork begins with a copy of its parent's rollout, whose lines all get the time of the copying.
    if (id !== place.sessionId) place.branch = "inherited";
    return;
  }
  place.sessionId = id ?? "unknown";
  yield {
    kind: "session",
    agent: "codex",
    id: place.sessionId,
    startedAtMs: asTimeMs(meta["timestamp"]) ?? place.atMs,
    version: asString(meta["cli_version"]),
    cwd: asString(meta["cwd"]),
    parentSession: asString(meta["forked_from_id"]) ?? asString(meta["parent_thread_id"]),
  };
  const instructions = asString(asObject(meta["base_instructions"])?.["text"]) ?? asString(meta["instructions"]);
  if (instructions === undefined) return;
  yield* addItem(place, { role: "system", origin: "agent", blocks: [{ kind: "text", text: instructions }] });
}

function startTurn(place: Place, turn: JsonObject): void {
  const model = asString(turn["model"]);
  if (model !== undefined) place.model = model;
  // Ids are UUIDs of version 7, which sort by time: a turn older than the session is its parent's.
  const turnId = asString(turn["turn_id"]);
  if (place.branch === "inherited" && turnId !== undefined && turnId >= (place.sessionId ?? "")) place.branch = "main";
}

function* addItem(place: Place, item: CodexItem | undefined): Generator<RecordedMessage> {
  if (item === undefined) return;
  if (item.origin === "model") {
    if (place.response === "over") place.responseCount += 1;
    place.response = "open";
  } else {
    place.response = "over";
  }
  if (item.origin === "human") place.turnParents.push(place.lastId);
  yield toMessage(place, item);
  place.lastId = place.id;
}

function toMessage(place: Place, item: CodexItem): RecordedMessage {
  const response = item.origin === "model" ? { responseId: responseId(place), model: place.model } : {};
  return { kind: "message", ...position(place), ...item, ...response };
}

function position({ id, lastId, branch, atMs }: Place): RecordedPosition {
  return { id, parentId: lastId, branch, atMs };
}

function responseId({ sessionId, responseCount }: Place): string {
  return `${sessionId ?? "unknown"}/response-${responseCount}`;
}

/**
 * Usage is reported after a response, before or after the results of its calls depending on the version, and again with
 * every change of the rate limits. A report is new if the sums have changed; after a compaction they have not, and the
 * report is an estimate.
 */
function* countTokens(place: Place, event: JsonObject): Generator<RecordedUsage> {
  place.response = "over";
  const report = toCodexUsage(asObject(event["info"]) ?? {});
  if (report === undefined || report.sums === place.sums) return;
  place.sums = report.sums;
  place.contextTokens = report.contextTokens;
  // A response without any recorded item.
  if (place.countedResponse === place.responseCount) place.responseCount += 1;
  place.countedResponse = place.responseCount;
  const { branch, atMs, model } = place;
  yield { kind: "usage", responseId: responseId(place), branch, atMs, model, ...report.counts };
}

function* compact(place: Place, payload: JsonObject): Generator<RecordedEntry> {
  const summary = asString(payload["message"]) ?? "";
  const kept = toKept(place, { summary, history: asList(payload["replacement_history"]) });
  yield {
    kind: "compaction",
    ...position(place),
    trigger: "unknown",
    tokensBefore: place.contextTokens,
    kept,
  };
  place.lastId = place.id;
  place.response = "over";
  if (kept.kind === "replacement" || summary === "") return;
  place.id = `${place.id}/summary`;
  yield* addItem(place, { role: "user", origin: "summary", blocks: [{ kind: "text", text: summary }] });
}

function toKept(
  place: Place,
  { summary, history }: { summary: string; history: readonly unknown[] | undefined },
): RecordedKept {
  if (history === undefined) return { kind: "unrecorded" };
  let parentId = place.id;
  const messages = history.flatMap((value, index) => {
    const item = toCodexItem(asObject(value) ?? {});
    if (item === undefined) return [];
    const isSummary =
      summary !== "" && item.blocks.some((block) => block.kind === "text" && block.text.includes(summary));
    const { responseId: _, ...message } = toMessage(
      { ...place, id: `${place.id}/${index}`, lastId: parentId },
      isSummary ? { ...item, origin: "summary" } : item,
    );
    parentId = message.id;
    return [message];
  });
  return { kind: "replacement", messages };
}

/** The user went back: the last user messages, and everything after them, are no longer in the conversation. */
function rollBack(place: Place, event: JsonObject): void {
  const count = Math.min(asCount(event["num_turns"]) ?? 0, place.turnParents.length);
  if (count === 0) return;
  const [parentId] = place.turnParents.splice(-count);
  if (parentId === undefined) delete place.lastId;
  else place.lastId = parentId;
}
