import type {
  RecordedBlock,
  RecordedCompaction,
  RecordedEntry,
  RecordedMessage,
  RecordedMicrocompaction,
  RecordedUsage,
} from "@palimpsest/observe";

/** One block of a rebuilt request. Its content is its key: equal keys are equal bytes. */
export interface RebuiltBlock {
  readonly key: string;
  readonly role: "user" | "assistant";
  readonly kind: "text" | "call" | "result";
  readonly callId?: string;
  /** A first guess of its size, to be scaled to what the provider reported. */
  readonly estimate: number;
}

/** Changes of the prompt that the record itself shows. */
export type Change = "compaction" | "new-start" | "microcompaction" | "restart" | "shrunk";

/** A request that the agent sent, as far as the transcript tells. */
export interface RecordedRequest {
  readonly blocks: readonly RebuiltBlock[];
  readonly sentAtMs: number;
  /** When its response ended. */
  readonly endedAtMs: number;
  readonly usage: RecordedUsage;
  readonly contextTokens: number;
  readonly changes: readonly Change[];
  /** The response called no tool: the turn was over, and a person spoke next. */
  readonly endsTurn: boolean;
  /** How many leading blocks of the next request are this one's and its answer's. */
  readonly answerKeys: readonly string[];
  /** Where the response begins among the entries. */
  readonly position: number;
}

type Positioned = RecordedMessage | RecordedCompaction | RecordedMicrocompaction;

/**
 * Rebuilds what each response of the main conversation was asked, from the chain of parents: one request per response,
 * all calls of a response before their results, results of parallel calls found by id because they lie off the chain.
 */
export function rebuildRequests(entries: readonly RecordedEntry[]): RecordedRequest[] {
  const index = indexEntries(entries);
  const requests: RecordedRequest[] = [];
  for (const usage of entries) {
    if (usage.kind !== "usage" || usage.branch !== "main") continue;
    const lines = index.responses.get(usage.responseId);
    if (lines === undefined) continue;
    const first = lines[0]!;
    const path = ancestors(first, index);
    const before = requests.at(-1);
    const position = index.order.get(first.id)!;
    const said = collect(path, index, position);
    const contextTokens = usage.freshTokens + usage.cacheReadTokens + (usage.cacheWriteTokens ?? 0);
    const cleared = clearedIn(entries.slice(0, position));
    requests.push({
      blocks: said.flatMap((message) => toBlocks(message, cleared)),
      sentAtMs: sentAt(path, index) ?? first.atMs,
      endedAtMs: lines.at(-1)!.atMs,
      usage,
      contextTokens,
      changes:
        before === undefined
          ? []
          : changesSince(before, { path, between: entries.slice(before.position, position), contextTokens }),
      endsTurn: !lines.some(({ blocks }) => blocks.some(({ kind }) => kind === "tool_call")),
      answerKeys: lines.flatMap((message) => toBlocks(message, cleared).map(({ key }) => key)),
      position,
    });
  }
  return requests;
}

interface EntryIndex {
  readonly byId: ReadonlyMap<string, Positioned>;
  readonly order: ReadonlyMap<string, number>;
  readonly responses: ReadonlyMap<string, RecordedMessage[]>;
  readonly results: ReadonlyMap<string, RecordedMessage[]>;
  readonly answered: ReadonlySet<string>;
}

function indexEntries(entries: readonly RecordedEntry[]): EntryIndex {
  const byId = new Map<string, Positioned>();
  const order = new Map<string, number>();
  const responses = new Map<string, RecordedMessage[]>();
  const results = new Map<string, RecordedMessage[]>();
  const answered = new Set<string>();
  for (const [position, entry] of entries.entries()) {
    if (entry.kind === "usage") answered.add(entry.responseId);
    if (entry.kind === "session" || entry.kind === "usage" || entry.kind === "damage" || entry.branch !== "main")
      continue;
    byId.set(entry.id, entry);
    order.set(entry.id, position);
    if (entry.kind !== "message") continue;
    if (entry.responseId !== undefined) push(responses, entry.responseId, entry);
    for (const block of entry.blocks) if (block.kind === "tool_result") push(results, block.callId, entry);
  }
  return { byId, order, responses, results, answered };
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** From the start of the conversation, or the latest compaction, to the message before the response. */
function ancestors(first: RecordedMessage, { byId }: EntryIndex): Positioned[] {
  const path: Positioned[] = [];
  const seen = new Set<string>();
  for (let id = first.parentId; id !== undefined && !seen.has(id); ) {
    seen.add(id);
    const entry = byId.get(id);
    if (entry === undefined) break;
    path.push(entry);
    if (entry.kind === "compaction") break;
    id = entry.parentId;
  }
  return path.reverse();
}

function collect(path: readonly Positioned[], index: EntryIndex, until: number): RecordedMessage[] {
  const said = new Set<RecordedMessage>();
  const isBefore = (message: RecordedMessage): boolean => index.order.get(message.id)! < until;
  const onPath = new Set<Positioned>(path);
  for (const entry of path) {
    if (entry.kind !== "message") continue;
    if (entry.responseId === undefined) {
      said.add(entry);
      continue;
    }
    // Text of the agent's own making in place of a response (an error note) was not sent.
    if (!index.answered.has(entry.responseId)) continue;
    const lines = index.responses.get(entry.responseId)!.filter(isBefore);
    for (const line of lines) said.add(line);
    for (const line of lines) {
      for (const block of line.blocks) {
        if (block.kind !== "tool_call") continue;
        for (const result of index.results.get(block.callId) ?? [])
          if (isBefore(result) && !onPath.has(result)) said.add(result);
      }
    }
  }
  return [...said];
}

/** The newest message that was not the model's: when it stood in the transcript, the request could leave. */
function sentAt(path: readonly Positioned[], { answered }: EntryIndex): number | undefined {
  let sentAtMs: number | undefined;
  for (const entry of path.toReversed()) {
    if (entry.kind === "message" && entry.responseId !== undefined && answered.has(entry.responseId)) break;
    if (entry.kind === "message") sentAtMs = Math.max(sentAtMs ?? 0, entry.atMs);
  }
  return sentAtMs;
}

function changesSince(
  before: RecordedRequest,
  now: { path: readonly Positioned[]; between: readonly RecordedEntry[]; contextTokens: number },
): Change[] {
  const { path, between, contextTokens } = now;
  const changes: Change[] = [];
  const tail = path.slice(
    path.findLastIndex((entry) => entry.kind === "message" && entry.responseId !== undefined) + 1,
  );
  if (tail.some(({ kind }) => kind === "compaction")) changes.push("compaction");
  else if (tail.length === path.length) changes.push("new-start");
  if (between.some(({ kind }) => kind === "microcompaction")) changes.push("microcompaction");
  if (between.some(leavesTheAgent)) changes.push("restart");
  // Nothing but an edit makes a prompt so much shorter: of 53 such prompts in the sessions measured, 52 missed.
  if (changes.length === 0 && contextTokens < before.contextTokens - 5_000) changes.push("shrunk");
  return changes;
}

/** The person left the agent and came back: another process, which builds its system prompt anew. */
function leavesTheAgent(entry: RecordedEntry): boolean {
  if (entry.kind !== "message" || entry.role !== "user") return false;
  return entry.blocks.some((block) => block.kind === "text" && block.text.includes("<command-name>/exit"));
}

function clearedIn(entries: readonly RecordedEntry[]): ReadonlySet<string> {
  return new Set(entries.flatMap((entry) => (entry.kind === "microcompaction" ? entry.clearedCallIds : [])));
}

/**
 * Thinking and what the agent attaches by itself do not count in the provider's look-back (measured: hits at twenty
 * other blocks, misses at twenty-one), so they are not blocks here; their tokens come in with the blocks beside them.
 */
function toBlocks(message: RecordedMessage, cleared: ReadonlySet<string>): RebuiltBlock[] {
  if (message.role === "system" || message.origin === "agent") return [];
  const role = message.role;
  return message.blocks.flatMap((block, position): RebuiltBlock[] => {
    const key = `${message.id}:${position}`;
    const estimate = estimateTokens(block);
    if (block.kind === "thinking") return [];
    if (block.kind === "tool_call") return [{ key, role, kind: "call", callId: block.callId, estimate }];
    if (block.kind !== "tool_result") return [{ key, role, kind: "text", estimate }];
    const isCleared = cleared.has(block.callId);
    return [
      {
        key: isCleared ? `${key}:cleared` : key,
        role,
        kind: "result",
        callId: block.callId,
        estimate: isCleared ? 12 : estimate,
      },
    ];
  });
}

function estimateTokens(block: RecordedBlock): number {
  switch (block.kind) {
    case "text":
      return 4 + block.text.length / 3.6;
    case "tool_call":
      return 30 + JSON.stringify(block.input ?? null).length / 3.2;
    case "tool_result":
      return typeof block.content === "string"
        ? 20 + block.content.length / 3.2
        : 20 + block.content.reduce((sum, part) => sum + estimateTokens(part), 0);
    case "image":
    case "document":
      return 1_500;
    case "thinking":
      return 4;
    case "opaque":
      return 300;
  }
}
