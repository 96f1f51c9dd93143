// Entries of a log: their fields, their hash chain, and their form as a line of JSON. Turns payloads into drafts of entries, and entries
// back into payloads.

import type { Part } from "./block.ts";
import { PAYLOAD_VERSIONS, type PayloadKind, type Payloads } from "./payload.ts";

/**
 * One record of a session's log. An entry never changes, but its payload can be erased. The hash chain covers payload digests,
 * so the chain stays valid without the payload.
 */
export interface Entry {
  /** The entry's number: 1, 2, 3, ... without gaps. */
  readonly sequence: number;
  /** The number of the entry that this entry continues; 0 for the first. A rewind continues an earlier entry and starts a branch. */
  readonly parent: number;
  readonly kind: string;
  /** The version of the payload's shape. Each kind has its own versions. */
  readonly version: number;
  readonly atMs: number;
  /** JSON text; undefined after the payload was erased. */
  readonly payload: string | undefined;
  readonly digest: string;
  /** Covers all fields above except the payload, and the hash of the previous entry. */
  readonly hash: string;
}

/** The content of a new entry. */
export interface Draft {
  readonly kind: string;
  readonly version: number;
  /** JSON text. */
  readonly payload: string;
  /** @default the previous entry */
  readonly parent?: number;
}

/** Turns drafts into the entries that follow the head of the log: adds numbers, dates and hashes. */
export function sealEntries(drafts: readonly Draft[], { head, atMs, digest, payloadDigest }: SealOptions): Entry[] {
  const entries: Entry[] = [];
  let before = head;
  for (const { kind, version, payload, parent = before.sequence } of drafts) {
    const sequence = before.sequence + 1;
    if (!(Number.isInteger(parent) && parent >= 0 && parent < sequence)) {
      throw new RangeError(`Entry ${sequence} cannot continue entry ${parent}: its parent must come before it.`);
    }
    const unchained = { sequence, parent, kind, version, atMs, payload, digest: (payloadDigest ?? digest)(payload) };
    const entry = { ...unchained, hash: chainHash(unchained, before.hash, digest) };
    entries.push(entry);
    before = entry;
  }
  return entries;
}

interface SealOptions {
  /** The newest entry that the log has now. */
  readonly head: LogHead;
  readonly atMs: number;
  readonly digest: Digest;
  /** The log writer's own digest function for payloads, if it has one. @default `digest` */
  readonly payloadDigest?: Digest | undefined;
}

/** Computes the hash of an entry from its fields and the hash of the previous entry. */
function chainHash(entry: Omit<Entry, "hash">, hashBefore: string, digest: Digest): string {
  const { sequence, parent, kind, version, atMs, digest: payloadDigest } = entry;
  // A kind may be any string. JSON quotes it, so two different entries never give the same text.
  return digest(JSON.stringify([hashBefore, sequence, parent, kind, version, atMs, payloadDigest]));
}

/** Moves an entry to a chain that digests payloads with another function. The digest of an erased payload is kept. */
export function resealEntry(
  entry: Entry,
  hashBefore: string,
  { digest, payloadDigest = digest }: Pick<SealOptions, "digest" | "payloadDigest">,
): Entry {
  const { payload } = entry;
  const unchained = { ...entry, digest: payload === undefined ? entry.digest : payloadDigest(payload) };
  return { ...unchained, hash: chainHash(unchained, hashBefore, digest) };
}

/** Finds entries that were changed or removed since they were appended after `before`. Pass entries in the order of their numbers. */
export function checkChain(entries: Iterable<Entry>, before: LogHead, digest: Digest): ChainProblem[] {
  const problems: ChainProblem[] = [];
  let { sequence, hash } = before;
  for (const entry of entries) {
    const isNext = entry.sequence === sequence + 1;
    for (let missing = sequence + 1; missing < entry.sequence; missing++)
      problems.push({ sequence: missing, what: "missing" });
    if (entry.payload !== undefined && digest(entry.payload) !== entry.digest) {
      problems.push({ sequence: entry.sequence, what: "payload" });
    }
    // After a gap the previous hash is unknown, so the check continues from the entry after the gap.
    if (entry.sequence <= sequence || (isNext && chainHash(entry, hash, digest) !== entry.hash)) {
      problems.push({ sequence: entry.sequence, what: "chain" });
    }
    ({ sequence, hash } = entry);
  }
  return problems;
}

export interface ChainProblem {
  readonly sequence: number;
  /** `missing`: no entry has this number. `payload`: the payload does not match its digest. `chain`: the hash does not match. */
  readonly what: "missing" | "payload" | "chain";
}

/** The number and the hash of the newest entry of a log. The next entry continues from them. */
export type LogHead = Pick<Entry, "sequence" | "hash">;

/** The head of a log without entries. */
export const EMPTY_LOG: LogHead = { sequence: 0, hash: "" };

/** Computes a cryptographic hash as text. The core contains no hash function, so the caller passes one: SHA-256. */
export type Digest = (text: string) => string;

/** Writes an entry as one line of JSON, with a readable payload, for people and other programs. */
export function toLine({ payload, ...entry }: Entry): string {
  const fields = JSON.stringify(entry);
  return payload === undefined ? fields : `${fields.slice(0, -1)},"payload":${payload}}`;
}

/** Reads an entry from a line; undefined if the line is not an entry. `checkChain` verifies the entry. */
export function fromLine(line: string): Entry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { sequence, parent, kind, version, atMs, digest, hash, payload } = value as Record<string, unknown>;
  if (!isNumber(sequence) || !isNumber(parent) || !isNumber(version) || !isNumber(atMs)) return undefined;
  if (typeof kind !== "string" || typeof digest !== "string" || typeof hash !== "string") return undefined;
  const text = "payload" in value ? JSON.stringify(payload) : undefined;
  return { sequence, parent, kind, version, atMs, payload: text, digest, hash };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

// ------------------------------------------------------------------------------------------------ payloads

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
  rewind: ({ ledger, sharedTo, prepared }) =>
    isRecord(ledger) && isCount(sharedTo) && (prepared === undefined || isPrepared(prepared)),
  fork: ({ session, sequence, hash, source }) => [session, hash, source].every(isText) && isCount(sequence),
  pin: ({ text }) => isText(text),
  unpin: ({ of }) => isCount(of),
  notes: ({ markdown, coveredTo }) => isText(markdown) && isCount(coveredTo),
  prepared: ({ step, of, ...written }) =>
    (step === "dropped" && isCount(of)) || (step === "written" && isText(written["text"]) && isPrepared(written)),
  attempt: ({ trigger, reason, failure, why }) => [trigger, reason, failure, why].every(isText),
  overflow: ({ inputTokens = 0, limitTokens = 0 }) => isCount(inputTokens) && isCount(limitTokens),
  agent: ({ id, step, goal = "", session = "" }) => [id, step, goal, session].every(isText),
  reader: ({ name, coveredTo }) => isText(name) && isCount(coveredTo),
  mark: ({ name, value }) => isText(name) && value !== undefined,
  decision: ({ action, tokensBefore, tokensAfter, ...more }) =>
    isDecidedBy(more) &&
    isText(action) &&
    isCount(tokensBefore) &&
    isCount(tokensAfter) &&
    (more["returningTokens"] === undefined || isCount(more["returningTokens"])) &&
    (more["edits"] === undefined || isEdits(more["edits"])) &&
    (more["deleted"] === undefined || isListOf(more["deleted"], isDeleted)),
  policy: ({ name, rules }) => isText(name) && isListOf(rules, isRule),
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

const isDecidedBy = (value: unknown): boolean =>
  isRecord(value) &&
  ["rule", "level", "because"].every((name) => isText(value[name])) &&
  isFigures(value["figures"]) &&
  isListOf(value["considered"], isRecord) &&
  (value["before"] === undefined || isEarlierDecision(value["before"]));
const isEarlierDecision = (value: unknown): boolean =>
  isRecord(value) && isCount(value["tokens"]) && isText(value["because"]);
const isFigures = (value: unknown): boolean =>
  isRecord(value) && isText(value["unit"]) && typeof value["net"] === "number";
const isEdits = (value: unknown): boolean =>
  isRecord(value) && isRecord(value["results"]) && isResultEdits(value["results"]) && isKeptThinking(value["thinking"]);
const isResultEdits = ({ keptTools, inputsOf, ...numbers }: Readonly<Record<string, unknown>>): boolean =>
  ["aboveTokens", "minimumTokens", "keepNewest"].every((name) => isCount(numbers[name])) &&
  isListOf(keptTools, isText) &&
  isListOf(inputsOf, isText);
const isKeptThinking = (value: unknown): boolean =>
  value === "all" || (isRecord(value) && isCount(value["from"]) && isCount(value["turns"]));
const isDeleted = (value: unknown): boolean => isRecord(value) && isCount(value["entry"]) && isText(value["callId"]);
const isRule = (value: unknown): boolean => isRecord(value) && isText(value["slot"]) && isText(value["name"]);
const isTools = (value: unknown): boolean =>
  isListOf(value, (tool) => isRecord(tool) && isText(tool["name"]) && isRecord(tool["inputSchema"]));
const isHeld = (value: unknown, is: (held: unknown) => boolean): boolean =>
  isRecord(value) && (isCount(value["heldBy"]) || is(value["value"]));
const isState = (value: unknown): boolean =>
  isRecord(value) && isCount(value["configuration"]) && isRecord(value["ledger"]) && isStanding(value["standing"]);
const isStanding = (value: unknown): boolean =>
  isRecord(value) &&
  ["pins", "said", "agents", "takenBack"].every((name) => Array.isArray(value[name])) &&
  ["breaker", "economicBreaker", "readers", "marks", "chain", "collected"].every((name) => isRecord(value[name])) &&
  ["userMessages", "spokenAt", "overflows"].every((name) => isCount(value[name])) &&
  // May be above the largest safe integer, to which it is set after a turn has used up its time.
  typeof value["calls"] === "number" &&
  isTurn(value["turn"]);
const isTurn = (value: unknown): boolean =>
  isRecord(value) && isText(value["phase"]) && isCount(value["cuts"]) && isListOf(value["calls"], isRecord);
const isPrepared = (value: unknown): boolean =>
  isRange(value) &&
  isRecord(value) &&
  ["viewChangedAt", "tokens", "calls"].every((name) => isCount(value[name])) &&
  ["formKey", "installs"].every((name) => isText(value[name]));
const isCompaction = (value: unknown): boolean =>
  isRecord(value) &&
  ["trigger", "reason"].every((name) => isText(value[name])) &&
  isRecord(value["summary"]) &&
  isText(value["summary"]["way"]) &&
  (value["decided"] === undefined || isDecidedBy(value["decided"]));
