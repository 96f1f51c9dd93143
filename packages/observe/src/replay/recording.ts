import type { Block, Part } from "palimpsest";
import type {
  RecordedAgent,
  RecordedBlock,
  RecordedEntry,
  RecordedMessage,
  RecordedPart,
} from "../transcripts/readers/recorded.ts";
import { fitSizes, type RecordedSizes } from "./fit-sizes.ts";
import { toThinking } from "./recorded-thinking.ts";

/** One item of a conversation: a response, a tool result, a message of the user, or text that the agent inserted. */
export interface RecordedItem {
  /** Its place in `items`. */
  readonly index: number;
  readonly role: "user" | "assistant";
  readonly origin: "human" | "model" | "tool" | "host";
  readonly blocks: readonly Block[];
  /** Of a response: when its last block was there. */
  readonly atMs: number;
}

/** One request and its response, with the items that arrived before it. */
export interface RecordedRound {
  readonly arrivals: readonly RecordedItem[];
  /** When the newest arrival was there, so that the request could be sent. */
  readonly sentAtMs: number;
  readonly response: RecordedItem;
  /** The size of the request by the provider; absent if it is not recorded, or is that of a compacted request. */
  readonly contextTokens?: number;
  /** The tokens of the response by the provider, thinking included; absent if the final count is not recorded. */
  readonly outputTokens?: number;
  /** The agent compacted or cleared something before this round. */
  readonly follows: "round" | "compaction";
}

/** A recorded session as one conversation that only grows: the agent's own compactions and clearings are undone. */
export interface Recording {
  readonly agent: RecordedAgent;
  readonly cwd?: string;
  readonly items: readonly RecordedItem[];
  readonly rounds: readonly RecordedRound[];
  readonly sizes: RecordedSizes;
}

interface OpenRound {
  readonly arrivals: RecordedItem[];
  readonly sentAtMs: number;
  readonly response: RecordedItem & { readonly blocks: Block[]; atMs: number };
  readonly responseId: string;
  readonly contextTokens?: number;
  readonly outputTokens?: number;
  readonly follows: RecordedRound["follows"];
}

/** Undefined if the recording has no response. */
export function toRecording(entries: readonly RecordedEntry[]): Recording | undefined {
  const session = entries.find((entry) => entry.kind === "session");
  const usages = usagesOf(entries);
  const reasoning = reasoningOf(entries);
  const items: RecordedItem[] = [];
  const rounds: OpenRound[] = [];
  const calls = new Set<string>();
  let arrivals: RecordedItem[] = [];
  let follows: RecordedRound["follows"] = "round";

  function add(item: Omit<RecordedItem, "index">): RecordedItem {
    const added = { ...item, index: items.length };
    items.push(added);
    return added;
  }

  function answer(message: RecordedMessage, responseId: string): void {
    const open = rounds.at(-1);
    // An answer to what was not recorded.
    if (open === undefined && arrivals.length === 0) return;
    const reasoningTokens = reasoning.get(responseId);
    const blocks = message.blocks.flatMap((block) => toBlock(block, reasoningTokens));
    for (const block of blocks) if (block.kind === "tool_call") calls.add(block.id);
    // A response is several lines, and results of its first calls may stand between them. Without anything new, a second
    // one is the first going on.
    if (open !== undefined && (open.responseId === responseId || arrivals.length === 0)) {
      open.response.blocks.push(...blocks);
      open.response.atMs = Math.max(open.response.atMs, message.atMs);
      return;
    }
    const sentAtMs = Math.max(open?.response.atMs ?? 0, ...arrivals.map(({ atMs }) => atMs));
    const response = add({ role: "assistant", origin: "model", blocks, atMs: message.atMs }) as OpenRound["response"];
    rounds.push({ arrivals, sentAtMs, response, responseId, follows, ...usages.get(responseId) });
    arrivals = [];
    follows = "round";
  }

  for (const entry of entries) {
    if (entry.kind === "compaction" || entry.kind === "microcompaction") follows = "compaction";
    if (entry.kind !== "message" || entry.branch === "sidechain" || entry.role === "system") continue;
    // A summary at the very beginning stands for content that was not recorded.
    if (entry.origin === "summary" && items.length > 0) continue;
    if (entry.role === "assistant") {
      // Text that the agent wrote in place of a response (an error note) was not sent.
      if (entry.responseId !== undefined && usages.has(entry.responseId)) answer(entry, entry.responseId);
      continue;
    }
    for (const blocks of piecesOf(entry, calls)) {
      const [first] = blocks;
      const origin = first?.kind === "tool_result" ? "tool" : entry.origin === "human" ? "human" : "host";
      if (first !== undefined) arrivals.push(add({ role: "user", origin, blocks, atMs: entry.atMs }));
    }
  }
  const answered = rounds.filter(({ response }) => response.blocks.length > 0 || response.index === items.length - 1);
  if (session === undefined || answered.length === 0) return undefined;
  const { agent, cwd } = session;
  return { agent, cwd, items, rounds, sizes: fitSizes(rounds) };
}

/** Of each response that was paid for, the whole input of its request, and its output. */
function usagesOf(
  entries: readonly RecordedEntry[],
): ReadonlyMap<string, Pick<RecordedRound, "contextTokens" | "outputTokens">> {
  const usages = new Map<string, Pick<RecordedRound, "contextTokens" | "outputTokens">>();
  for (const entry of entries) {
    if (entry.kind !== "usage" || entry.branch === "sidechain") continue;
    const contextTokens = entry.freshTokens + entry.cacheReadTokens + (entry.cacheWriteTokens ?? 0);
    usages.set(entry.responseId, {
      ...(contextTokens > 0 ? { contextTokens } : {}),
      ...(entry.outputCount === "final" ? { outputTokens: entry.outputTokens } : {}),
    });
  }
  return usages;
}

/** Of each response with a count of reasoning tokens, the share of each of its thinking blocks. */
function reasoningOf(entries: readonly RecordedEntry[]): ReadonlyMap<string, number> {
  const blocks = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== "message" || entry.responseId === undefined) continue;
    const thinking = entry.blocks.filter(({ kind }) => kind === "thinking").length;
    blocks.set(entry.responseId, (blocks.get(entry.responseId) ?? 0) + thinking);
  }
  const shares = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== "usage" || entry.reasoningTokens === undefined) continue;
    shares.set(entry.responseId, entry.reasoningTokens / Math.max(1, blocks.get(entry.responseId) ?? 0));
  }
  return shares;
}

/** Each tool result separately, without results of unknown calls. */
function piecesOf(message: RecordedMessage, calls: ReadonlySet<string>): Block[][] {
  const blocks = message.blocks.flatMap((block) => toBlock(block));
  const results = blocks.filter((block) => block.kind === "tool_result" && calls.has(block.callId));
  const others = blocks.filter(({ kind }) => kind !== "tool_result");
  return [...results.map((block) => [block]), ...(others.length === 0 ? [] : [others])];
}

/** Converts a block to the engine's form. Bytes of media are not recorded: their tokens count with the rest. */
function toBlock(block: RecordedBlock, reasoningTokens?: number): Block[] {
  switch (block.kind) {
    case "thinking":
      return toThinking(block, reasoningTokens);
    case "tool_call":
      return [{ kind: "tool_call", id: block.callId, name: toToolName(block.name), input: toInput(block.input) }];
    case "tool_result": {
      const { callId, content } = block;
      const text =
        typeof content === "string"
          ? content
          : content
              .flatMap(toText)
              .map(({ text }) => text)
              .join("\n");
      return [{ kind: "tool_result", callId, content: text, status: block.status === "error" ? "error" : "ok" }];
    }
    default:
      return toText(block);
  }
}

function toText(part: RecordedPart): (Part & { readonly kind: "text" })[] {
  if (part.kind === "text") return part.text.trim() === "" ? [] : [{ kind: "text", text: part.text }];
  return part.kind === "opaque" ? [] : [{ kind: "text", text: `[${part.kind} of ${part.sizeBytes} bytes]` }];
}

/** A model may call a tool that does not exist, by a name that no provider takes as a definition. */
function toToolName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, MAX_NAME) || "unnamed";
}

const MAX_NAME = 64;

function toInput(input: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? (input as Record<string, unknown>) : input === undefined ? {} : { input };
}
