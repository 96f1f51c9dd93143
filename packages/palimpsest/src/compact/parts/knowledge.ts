// What the log knows of the messages before a compaction: one pass over the entries since the newest boundary. The parts plan from it.

import type { Block, Media, Part } from "../../log/block.ts";
import { type ReadEntry, readPayload } from "../../log/entry.ts";
import { isUsersOwn, type Provenance, provenanceOf } from "../../log/provenance.ts";
import { callRule, type RuleFailure, shown } from "../../policy/guard.ts";
import type { Collector, Json, KeepPart, LogMessage, Material } from "../../policy/policy.ts";
import type { AgentInFlight, CarriedState, CollectedState, Pin } from "../../state/carried.ts";
import { findBranch, wholeBranch } from "../../state/load.ts";
import { readEntries } from "../../stores/read.ts";
import type { LogReader } from "../../stores/store.ts";
import { headOf } from "../../text.ts";
import type { MessageItem } from "../../view/view.ts";
import { createEvidence } from "../evidence/evidence.ts";
import type { Evidence } from "../evidence/state.ts";
import type { TranscriptRound } from "../summary/transcript.ts";

/** The number of the user's messages that are remembered besides the first. */
const REMEMBERED_MESSAGES = 400;

/** What a boundary carries on of the entries before it. */
export type Knowledge = Pick<CarriedState, "evidence" | "said" | "collected" | "erasure">;

const NOTHING_KNOWN: Knowledge = { evidence: undefined, said: [], collected: {}, erasure: undefined };

export interface Gathered {
  readonly knowledge: Knowledge;
  /** The messages that were read, as they came in, by entry. */
  readonly messages: ReadonlyMap<number, LogMessage>;
  /** Collectors that failed. Their parts keep their earlier states. */
  readonly failures: readonly RuleFailure[];
}

interface GatherOptions {
  readonly keep: readonly KeepPart[];
  readonly countTokens: (text: string) => number;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Adds the entries since the newest boundary to what that boundary carries. The entries are read from the log, so results that the
 * view shows as previews or stubs are known as they came in. A part whose collector is new, or of another version, gets the earlier
 * entries first. If an entry was erased since the boundary, everything is collected again from the beginning of the log, because
 * nobody can tell which part of a collected state came from that entry.
 */
export async function gatherKnowledge(
  log: LogReader,
  at: number,
  carriedState: CarriedState,
  options: GatherOptions,
): Promise<Gathered> {
  const { ranges, boundary } = await findBranch(log, at);
  const erasure = (await log.newest("erased"))?.hash;
  if (boundary !== undefined && erasure !== carriedState.erasure) {
    const collectors = createCollectors(options.keep, {});
    const earlier = await wholeBranch(log, boundary.sequence);
    const { knowledge } = await addEntries(log, earlier, { before: NOTHING_KNOWN, collectors, options });
    return addEntries(log, ranges, { before: { ...knowledge, erasure }, collectors, options });
  }
  const collectors = createCollectors(options.keep, carriedState.collected);
  if (boundary !== undefined && collectors.stale.length > 0) {
    const reader = createReader(options.countTokens);
    for await (const read of entriesOf(log, await wholeBranch(log, boundary.sequence))) {
      const message = reader.read(read);
      if (message !== undefined) collectors.take(message, "stale");
    }
  }
  return addEntries(log, ranges, { before: { ...carriedState, erasure }, collectors, options });
}

/** Adds the entries of some ranges to what was known before them. */
export async function addKnowledge(
  log: LogReader,
  ranges: readonly Range[],
  before: Knowledge,
  options: GatherOptions,
): Promise<Gathered> {
  return addEntries(log, ranges, { before, collectors: createCollectors(options.keep, before.collected), options });
}

interface Adding {
  readonly before: Knowledge;
  readonly collectors: Collectors;
  readonly options: GatherOptions;
}

async function addEntries(
  log: LogReader,
  ranges: readonly Range[],
  { before, collectors, options }: Adding,
): Promise<Gathered> {
  const evidence = createEvidence(before.evidence);
  const reader = createReader(options.countTokens);
  const said = [...before.said];
  const messages = new Map<number, LogMessage>();
  for await (const read of entriesOf(log, ranges)) {
    evidence.take(read);
    if (read.kind === "message" && isUsersOwn(read.payload)) said.push(read.sequence);
    const message = reader.read(read);
    if (message === undefined) continue;
    messages.set(message.entry, message);
    collectors.take(message, "all");
  }
  const [first, ...others] = said;
  const remembered = first === undefined ? [] : [first, ...others.slice(-REMEMBERED_MESSAGES)];
  const { erasure } = before;
  const knowledge = { evidence: evidence.state(), said: remembered, collected: collectors.state(), erasure };
  return { knowledge, messages, failures: collectors.failures };
}

async function* entriesOf(log: LogReader, ranges: readonly Range[]): AsyncGenerator<ReadEntry> {
  for (const { from, to } of ranges) {
    for await (const entry of readEntries(log, from, to)) {
      const read = readPayload(entry);
      if (read.kind !== "passed-over") yield read;
    }
  }
}

/** Reads messages in the order of the log, and finds the tool of each result by the call before it. */
function createReader(countTokens: (text: string) => number) {
  const toolById = new Map<string, string>();
  return {
    read(read: ReadEntry): LogMessage | undefined {
      if (read.kind !== "message" || read.payload.audience === "user") return undefined;
      const { sequence: entry, payload } = read;
      for (const block of payload.blocks) if (block.kind === "tool_call") toolById.set(block.id, block.name);
      const provenance = provenanceOf(payload);
      const toolOf = (callId: string): string | undefined => toolById.get(callId);
      return toLogMessage({ entry, blocks: payload.blocks, provenance, toolOf, countTokens });
    },
  };
}

// ------------------------------------------------------------------------------------------------ what parts collect

/** After so many failures a collector gets no more messages of this fold. */
const MAX_FAILURES = 3;
/** The place of a failure in a report, after the last message. */
const END = "at the end";

/** The collectors of the parts of a policy. */
export interface Collectors {
  /** Parts whose state is missing or of another version: they need the log from its beginning. */
  readonly stale: readonly KeepPart[];
  /** Gives a message to the collectors of some parts. */
  take(message: LogMessage, parts: "all" | "stale"): void;
  state(): Readonly<Record<string, CollectedState>>;
  readonly failures: readonly RuleFailure[];
}

interface Running {
  readonly part: KeepPart;
  readonly collector: Collector;
  readonly isStale: boolean;
  state: Json;
  /** The newest state that was accepted, as JSON. It replaces a state that a failing collector has changed. */
  accepted: string;
  failures: number;
}

/** Continues from the states that a boundary carries. The states of parts that the policy no longer has are dropped. */
export function createCollectors(
  keep: readonly KeepPart[],
  before: Readonly<Record<string, CollectedState>>,
): Collectors {
  const failures: RuleFailure[] = [];
  const running = keep.flatMap((part): Running[] => {
    const { name, collect: collector } = part;
    if (collector === undefined) return [];
    const carried = Object.hasOwn(before, name) ? before[name] : undefined;
    const isStale = carried?.version !== collector.version;
    const accepted = JSON.stringify(isStale ? collector.empty : carried.state);
    return [{ part, collector, isStale, accepted, state: JSON.parse(accepted) as Json, failures: 0 }];
  });

  function fail(one: Running, why: string): void {
    one.failures++;
    one.state = JSON.parse(one.accepted) as Json;
    if (one.failures === 1) failures.push({ rule: one.part.name, where: "collect", why });
  }

  /** Calls `add`, or takes the state as it is, and accepts the state if it is JSON of the allowed size. */
  function accept(one: Running, run: () => Json, at: string): void {
    let accepted: string | undefined;
    const problem = (state: Json): string | undefined => {
      if (at !== END && state === one.state) return undefined;
      accepted = JSON.stringify(state) as string | undefined;
      return problemOfJson(accepted, state, one.collector.maxBytes);
    };
    const { value, failure } = callRule({ rule: one.part.name, where: "collect" }, run, problem, () => null);
    if (failure === undefined) {
      one.state = value;
      one.accepted = accepted ?? one.accepted;
    } else fail(one, `${at}: ${failure.why}`);
  }

  return {
    stale: running.filter(({ isStale }) => isStale).map(({ part }) => part),
    failures,
    take(message, parts) {
      for (const one of running) {
        if (one.failures >= MAX_FAILURES || (parts !== "all" && !one.isStale)) continue;
        accept(one, () => one.collector.add(one.state, message), `entry ${message.entry}`);
      }
    },
    state() {
      // A collector may have changed its state in place.
      for (const one of running) accept(one, () => one.state, END);
      const states = running.map(({ part, collector, accepted }): [string, CollectedState] => [
        part.name,
        { version: collector.version, state: JSON.parse(accepted) },
      ]);
      return Object.fromEntries(states);
    },
  };
}

function problemOfJson(json: string | undefined, state: unknown, maxBytes: number): string | undefined {
  if (json === undefined) return `it returned ${shown(state)}, and has to return the state as JSON`;
  const isClear = json.length > maxBytes || json.length * 3 <= maxBytes;
  const bytes = isClear ? json.length : new TextEncoder().encode(json).length;
  return bytes <= maxBytes ? undefined : `the state has ${bytes} bytes, and maxBytes is ${maxBytes}; keep less`;
}

// ------------------------------------------------------------------------------------------------ what parts plan from

/** What the parts of the engine know in addition. */
export interface EngineMaterial extends Material {
  readonly evidence: Evidence;
  readonly pins: readonly Pin[];
  readonly agents: readonly AgentInFlight[];
  /** The compacted messages of the model and its tools as text, oldest first. */
  readonly work: readonly TranscriptRound[];
  /** Files that the model still sees. */
  readonly shownFiles: ReadonlySet<string>;
}

/** Parts see no more of one message. */
const MAX_CHARACTERS = 100_000;

interface MessageSource {
  readonly entry: number;
  readonly blocks: readonly Block[];
  readonly provenance: Provenance;
  /** The tool of a call, by its id. */
  readonly toolOf: (callId: string) => string | undefined;
  readonly countTokens: (text: string) => number;
}

/** A message as parts see it. Its tokens are counted when a part asks for them. */
function toLogMessage({ entry, blocks, provenance, toolOf, countTokens }: MessageSource): LogMessage {
  const parts = blocks.flatMap((block): readonly (Block | Part)[] => {
    if (block.kind !== "tool_result") return [block];
    return typeof block.content === "string" ? [{ kind: "text", text: block.content }] : block.content;
  });
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const text = headOf(texts.join("\n"), MAX_CHARACTERS);
  const result = blocks.find((block) => block.kind === "tool_result");
  return {
    entry,
    provenance,
    text,
    tool: result === undefined ? undefined : toolOf(result.callId),
    media: parts.filter((part): part is Media => part.kind === "image" || part.kind === "document"),
    get tokens() {
      return countTokens(text);
    },
  };
}

/** The message as it came in, but without images that the view shows as stubs, because a provider refused them. */
function withMedia(message: LogMessage, media: readonly Media[]): LogMessage {
  const { entry, provenance, text, tool } = message;
  return {
    entry,
    provenance,
    text,
    tool,
    media,
    get tokens() {
      return message.tokens;
    },
  };
}

/** The type of the attachments that show images again. The next compaction finds the images there. */
export const IMAGES = "images";

/** The messages of a view, without summaries and attachments other than images. `known` has messages as they came in. */
export function messagesOf(
  items: readonly MessageItem[],
  known: ReadonlyMap<number, LogMessage>,
  countTokens: (text: string) => number,
): readonly LogMessage[] {
  const messages = items
    .filter(({ origin, attachment }) => origin !== "summary" && (attachment === undefined || attachment === IMAGES))
    .map((item) => {
      const { from: entry, blocks } = item;
      const source = { entry, blocks, provenance: provenanceOf(item), toolOf: () => undefined, countTokens };
      const shown = toLogMessage(source);
      const whole = known.get(entry);
      return whole === undefined ? shown : withMedia(whole, shown.media);
    });
  return Object.freeze(messages);
}
