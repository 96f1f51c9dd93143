/**
 * Reads opencode's sessions, from its database or from the files that older versions kept (`open-opencode.ts`).
 * In: a session, and its messages with their parts. Out: messages, calls with their results, what each response used,
 * compactions and pruned results. Left out: snapshots, patches, retries. A subagent is a session of its own.
 */
import { asObject, asString, type JsonObject, present } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import type { RecordedDamage, RecordedEntry, RecordedMessage, RecordedPosition, RecordedSession } from "./recorded.ts";
import { type OpencodeStep, splitSteps, toOpencodeUsage, toUserBlocks } from "./to-opencode-step.ts";

/** A message as it is stored, with its parts in their order. */
export interface OpencodeMessage {
  readonly kind: "opencode-message";
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

export interface OpencodeSession {
  /** The session's own record. */
  readonly info: JsonObject;
  readonly messages: AsyncIterable<OpencodeMessage | RecordedDamage> | Iterable<OpencodeMessage | RecordedDamage>;
}

/** The state of the reader. */
interface Place {
  atMs: number;
  lastId?: string;
  /** A message that requested a compaction, until the summary arrives. */
  asked?: { readonly id: string; readonly part: JsonObject };
  /** Calls whose results were pruned, by the time of pruning. */
  readonly pruned: Map<number, string[]>;
}

/** Memory grows with the number of pruned results (an id each). */
export async function* readOpencode({ info, messages }: OpencodeSession): AsyncGenerator<RecordedEntry> {
  const session = toSession(info);
  yield session;
  const place: Place = { atMs: session.startedAtMs, pruned: new Map() };
  for await (const message of messages) {
    if (message.kind === "damage") {
      yield message;
      continue;
    }
    place.atMs = asTimeMs(asObject(message.info["time"])?.["created"]) ?? place.atMs;
    yield* emitPruned(place, place.atMs);
    yield* message.info["role"] === "assistant" ? toResponses(place, message) : toUserMessage(place, message);
  }
  yield* emitPruned(place, Number.POSITIVE_INFINITY);
}

function toSession(info: JsonObject): RecordedSession {
  const version = asString(info["version"]);
  return {
    kind: "session",
    agent: "opencode",
    id: asString(info["id"]) ?? "unknown",
    startedAtMs: asTimeMs(asObject(info["time"])?.["created"]) ?? 0,
    version,
    cwd: asString(info["directory"]),
    parentSession: asString(info["parentID"]),
  };
}

function* toUserMessage(place: Place, { info, parts }: OpencodeMessage): Generator<RecordedEntry> {
  const id = idOf(info);
  const part = parts.find(({ type }) => type === "compaction");
  if (part !== undefined) {
    place.asked = { id, part };
    return;
  }
  const blocks = toUserBlocks(parts);
  if (blocks.length === 0) return;
  const isHuman = parts.some(({ type, synthetic }) => type === "text" && synthetic !== true);
  yield { kind: "message", ...position(place, id), role: "user", origin: isHuman ? "human" : "agent", blocks };
  place.lastId = id;
}

/** Older versions keep all responses of a turn in one message, each between a `step-start` and a `step-finish`. */
function* toResponses(place: Place, { info, parts }: OpencodeMessage): Generator<RecordedEntry> {
  const id = idOf(info);
  const steps = splitSteps(parts);
  if (info["summary"] === true) {
    yield* toCompaction(place, info, steps);
    return;
  }
  for (const [index, step] of steps.entries()) {
    yield* toResponse(place, step, { id: index === 0 ? id : `${id}/step-${index + 1}`, info });
  }
}

function* toResponse(
  place: Place,
  step: OpencodeStep,
  { id, info }: { id: string; info: JsonObject },
): Generator<RecordedEntry> {
  const response = { responseId: id, model: asString(info["modelID"]) };
  const { blocks, results } = step;
  yield { kind: "message", ...position(place, id), role: "assistant", origin: "model", blocks, ...response };
  place.lastId = id;
  const usage = toOpencodeUsage(step.finish ?? info, info);
  if (usage !== undefined) yield { kind: "usage", branch: "main", atMs: place.atMs, ...response, ...usage };
  for (const { atMs, callId } of step.pruned) place.pruned.set(atMs, [...(place.pruned.get(atMs) ?? []), callId]);
  if (results.length === 0) return;
  const at = { ...position(place, `${id}/results`), atMs: Math.max(place.atMs, step.endedAtMs) };
  yield { kind: "message", ...at, role: "user", origin: "tool", blocks: results };
  place.lastId = at.id;
}

/** A failed summary changed nothing. Its usage belongs to a prompt of its own. */
function* toCompaction(place: Place, info: JsonObject, steps: readonly OpencodeStep[]): Generator<RecordedEntry> {
  const id = idOf(info);
  const model = present({ model: asString(info["modelID"]) });
  for (const [index, step] of steps.entries()) {
    const usage = toOpencodeUsage(step.finish ?? info, info);
    const responseId = index === 0 ? id : `${id}/step-${index + 1}`;
    if (usage !== undefined)
      yield { kind: "usage", responseId, branch: "sidechain", atMs: place.atMs, ...model, ...usage };
  }
  const { asked } = place;
  delete place.asked;
  if (info["error"] !== undefined && info["error"] !== null) return;
  const firstId = asString(asked?.part["tail_start_id"]);
  const at = position(place, asked?.id ?? `${id}/compaction`);
  const { auto } = asked?.part ?? {};
  yield {
    kind: "compaction",
    ...at,
    trigger: auto === true ? "auto" : auto === false ? "manual" : "unknown",
    kept: firstId === undefined ? { kind: "nothing" } : { kind: "range", firstId },
  };
  place.lastId = at.id;
  const blocks = steps.flatMap((step) => step.blocks.filter(({ kind }) => kind === "text"));
  const summary: RecordedMessage = {
    kind: "message",
    ...position(place, id),
    role: "assistant",
    origin: "summary",
    blocks,
  };
  yield summary;
  place.lastId = id;
}

/** Pruning is recorded in the result itself, with its time. */
function* emitPruned(place: Place, untilMs: number): Generator<RecordedEntry> {
  const due = [...place.pruned.keys()].filter((atMs) => atMs <= untilMs).sort((one, other) => one - other);
  for (const atMs of due) {
    const clearedCallIds = place.pruned.get(atMs) ?? [];
    place.pruned.delete(atMs);
    const at = { ...position(place, `pruned-${atMs}`), atMs };
    yield { kind: "microcompaction", ...at, clearedCallIds };
    place.lastId = at.id;
  }
}

function position(place: Place, id: string): RecordedPosition {
  return { id, parentId: place.lastId, branch: "main", atMs: place.atMs };
}

function idOf(info: JsonObject): string {
  return asString(info["id"]) ?? "unknown";
}
