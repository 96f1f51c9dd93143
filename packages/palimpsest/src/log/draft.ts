// Turns payloads into entry drafts, and entries back into payloads. Entries that this release cannot read stay in the log.

import type { Part } from "./block.ts";
import type { Draft, Entry } from "./entry.ts";
import { PAYLOAD_VERSIONS, type PayloadKind, type Payloads } from "./payload.ts";

/** Makes the draft of an entry from its payload. */
export function toDraft<Kind extends PayloadKind>(kind: Kind, payload: Payloads[Kind], parent?: number): Draft {
  const draft = { kind, version: PAYLOAD_VERSIONS[kind], payload: JSON.stringify(payload) };
  return parent === undefined ? draft : { ...draft, parent };
}

/** Makes a draft with a named kind. A store finds it without reading the log: `newest(namedKind(kind, name))`. */
export function toNamedDraft<Kind extends PayloadKind>(kind: Kind, name: string, payload: Payloads[Kind]): Draft {
  return { ...toDraft(kind, payload), kind: namedKind(kind, name) };
}

/** The kind of an entry that can be found by a name, such as `key:5d41`. */
export function namedKind(kind: PayloadKind, name: string | number): string {
  return `${kind}:${name}`;
}

/** An entry with its payload as a value. */
export type ReadEntry = {
  [Kind in PayloadKind]: { readonly kind: Kind; readonly sequence: number; readonly payload: Payloads[Kind] };
}[PayloadKind];

/** An entry that this release cannot read. Readers skip it. */
export interface PassedOver {
  readonly kind: "passed-over";
  readonly sequence: number;
  /** `later`: a kind or version of a later release. `malformed`: the payload does not have the shape of its kind. */
  readonly why: "later" | "erased" | "malformed";
}

/** Reads the payload of an entry. */
export function readPayload(entry: Entry): ReadEntry | PassedOver {
  const { sequence, version, payload } = entry;
  const kind = withoutName(entry.kind);
  if (!isKnown(kind) || version > PAYLOAD_VERSIONS[kind]) return { kind: "passed-over", sequence, why: "later" };
  if (payload === undefined) return { kind: "passed-over", sequence, why: "erased" };
  return readDraft({ kind, version, payload }, sequence) ?? { kind: "passed-over", sequence, why: "malformed" };
}

/** Reads a draft as its entry will be read; undefined if the payload does not have the shape of its kind. */
export function readDraft(draft: Draft, sequence = 0): ReadEntry | undefined {
  const payload = parse(draft.payload);
  const kind = withoutName(draft.kind);
  if (!isKnown(kind) || !isRecord(payload) || !SHAPES[kind](payload)) return undefined;
  const entry: { kind: PayloadKind; sequence: number; payload: unknown } = { kind, sequence, payload };
  return entry as ReadEntry;
}

/** Removes the name from a kind: `key:5d41` becomes `key`. */
function withoutName(kind: string): string {
  const end = kind.indexOf(":");
  return end < 0 ? kind : kind.slice(0, end);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Shape = (value: Readonly<Record<string, unknown>>) => boolean;

/** Checks the fields that the fold relies on. The hash chain proves already that the text is unchanged. */
const SHAPES: Readonly<Record<PayloadKind, Shape>> = {
  message: (value) => isMessage(value) && (value["stored"] === undefined || isStored(value["stored"])),
  attachment: (value) => isAttachment(value),
  configuration: ({ provider, model, system, tools, parameters }) =>
    isText(provider) && isText(model) && isHeld(system, isText) && isHeld(tools, isTools) && isRecord(parameters),
  request: ({ maxTokens }) => isCount(maxTokens),
  usage: ({ responseId, freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens }) =>
    isText(responseId) && [freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens].every(isCount),
  replace: (value) => isRange(value) && isListOf(value["with"], isReplacement),
  restore: (value) => isRange(value) && isCount(value["of"]) && isText(value["was"]),
  boundary: (value) =>
    isRange(value) &&
    isListOf(value["with"], isReplacement) &&
    isListOf(value["outline"], isRange) &&
    isState(value["state"]) &&
    (value["compaction"] === undefined || isCompaction(value["compaction"])),
  rewind: ({ ledger, sharedTo }) => isRecord(ledger) && isCount(sharedTo),
  fork: ({ session, sequence, hash, source }) => [session, hash, source].every(isText) && isCount(sequence),
  pin: ({ text }) => isText(text),
  unpin: ({ of }) => isCount(of),
  notes: ({ markdown, coveredTo }) => isText(markdown) && isCount(coveredTo),
  attempt: ({ trigger, reason, failure, why }) => [trigger, reason, failure, why].every(isText),
  overflow: ({ inputTokens = 0, limitTokens = 0 }) => isCount(inputTokens) && isCount(limitTokens),
  agent: ({ id, step, goal = "", session = "" }) => [id, step, goal, session].every(isText),
  mark: ({ name, coveredTo }) => isText(name) && isCount(coveredTo),
  erased: ({ was, entry, stub }) => isCount(entry) && isRecord(stub) && isStub(was, stub),
  key: ({ key, entries }) => isText(key) && isCount(entries),
  turn: ({ step }) => isText(step),
  call: ({ step, call, calls = [call] }) => isText(step) && isListOf(calls, isText),
  taken: ({ queue, number, entries, traceparent }) =>
    isText(queue) && isCount(number) && isCount(entries) && (traceparent === undefined || isText(traceparent)),
};

/** Checks the fields of each kind of block. */
const BLOCKS: Readonly<Record<string, Shape>> = {
  text: ({ text, provenance }) => isText(text) && (provenance === undefined || isProvenance(provenance)),
  thinking: ({ provider, text }) => isText(provider) && isText(text),
  tool_call: ({ id, name }) => isText(id) && isText(name),
  tool_result: ({ callId, content }) => isText(callId) && (isText(content) || isListOf(content, isPart)),
  image: ({ source }) => isSource(source),
  document: ({ source }) => isSource(source),
  opaque: ({ native }) => isRecord(native) && isText(native["provider"]) && isRecord(native["block"]),
};

const isKnown = (kind: string): kind is PayloadKind => Object.hasOwn(PAYLOAD_VERSIONS, kind);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isListOf = (value: unknown, is: (element: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every((element) => is(element));
const isRange = (value: unknown): boolean => isRecord(value) && isCount(value["from"]) && isCount(value["to"]);
const isBlock = (value: unknown): boolean =>
  isRecord(value) &&
  isText(value["kind"]) &&
  Object.hasOwn(BLOCKS, value["kind"]) &&
  BLOCKS[value["kind"]]?.(value) === true;
/** Accepts kinds of later releases, too: text of an unknown provenance is marked as data. */
const isProvenance = (value: unknown): boolean => isRecord(value) && isText(value["kind"]);
/** Whether a tool result can contain the value. */
export const isPart = (value: unknown): value is Part =>
  isBlock(value) && !["thinking", "tool_call", "tool_result"].includes((value as { kind: string }).kind);
const isSource = (value: unknown): boolean =>
  isRecord(value) && (isText(value["url"]) || (isText(value["mediaType"]) && isText(value["data"])));
const isMessage = (value: unknown): boolean =>
  isRecord(value) &&
  (value["role"] === "user" || value["role"] === "assistant") &&
  isListOf(value["blocks"], isBlock) &&
  (value["provenance"] === undefined || isProvenance(value["provenance"]));
const isAttachment = ({ type, blocks, provenance }: Readonly<Record<string, unknown>>): boolean =>
  isText(type) && isListOf(blocks, isBlock) && isProvenance(provenance);
const isStub = (was: unknown, stub: Readonly<Record<string, unknown>>): boolean =>
  was === "message" ? isMessage(stub) : was === "attachment" && isAttachment(stub);
const isReplacement = (value: unknown): boolean =>
  isRecord(value) &&
  isMessage(value) &&
  (value["attachment"] === undefined || (isText(value["attachment"]) && isProvenance(value["provenance"])));
const isStored = (value: unknown): boolean =>
  isRecord(value) &&
  isText(value["file"]) &&
  isText(value["digest"]) &&
  isCount(value["bytes"]) &&
  isCount(value["lines"]);

const isTools = (value: unknown): boolean =>
  isListOf(value, (tool) => isRecord(tool) && isText(tool["name"]) && isRecord(tool["inputSchema"]));
const isHeld = (value: unknown, is: (held: unknown) => boolean): boolean =>
  isRecord(value) && (isCount(value["heldBy"]) || is(value["value"]));
const isState = (value: unknown): boolean =>
  isRecord(value) && isCount(value["configuration"]) && isRecord(value["ledger"]) && isStanding(value["standing"]);
const isStanding = (value: unknown): boolean =>
  isRecord(value) &&
  ["pins", "said", "agents", "takenBack"].every((name) => Array.isArray(value[name])) &&
  ["breaker", "economicBreaker", "marks", "chain"].every((name) => isRecord(value[name])) &&
  ["userMessages", "spokenAt", "overflows"].every((name) => isCount(value[name])) &&
  // May be above the largest safe integer, to which it is set after a turn has used up its time.
  typeof value["calls"] === "number" &&
  isTurn(value["turn"]);
const isTurn = (value: unknown): boolean =>
  isRecord(value) && isText(value["phase"]) && isCount(value["cuts"]) && isListOf(value["calls"], isRecord);
const isCompaction = (value: unknown): boolean =>
  isRecord(value) && ["trigger", "reason", "rung"].every((name) => isText(value[name]));
