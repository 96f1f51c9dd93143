import type { RecordedCompaction, RecordedEntry, RecordedMessage, RecordedUsage } from "@palimpsest/observe";
import type { Block } from "palimpsest";
import type { ReadEntry } from "palimpsest/inspect";
import { toBlock } from "../counting/to-block.ts";
import type { RecordedFile } from "../traces.ts";
import { countTokens } from "./count-tokens.ts";

/** So many responses after a compaction count as "after it". */
const ROUNDS_AFTER = 30;
/** No agent puts back more. */
const MAX_FILES_TOKENS = 50_000;

/** A message of a transcript as an entry of a log. */
export interface LoggedMessage {
  readonly entry: Extract<ReadEntry, { kind: "message" }>;
  readonly blocks: readonly Block[];
  readonly origin: "human" | "model" | "tool" | "host" | "summary";
}

export interface RecordedBoundary {
  readonly session: string;
  readonly cwd: string | undefined;
  /** Everything of the session before it, from its first entry on. */
  readonly before: readonly LoggedMessage[];
  /** What of it the model went on seeing. */
  readonly kept: readonly LoggedMessage[];
  /** Up to the next compaction, at most 30 rounds. */
  readonly after: readonly LoggedMessage[];
  readonly summary: string;
  /** What the agent put back beside the summary. */
  readonly filesTokens: number;
}

/** The compactions of a recorded session whose summary can be read. */
export function boundariesOf({ path, entries }: RecordedFile): RecordedBoundary[] {
  const session = entries.find((entry) => entry.kind === "session");
  const main = entries.filter((entry) => entry.kind !== "message" || entry.branch !== "sidechain");
  const messages = new Map<RecordedEntry, LoggedMessage>();
  for (const [index, entry] of main.entries()) {
    if (entry.kind === "message" && entry.role !== "system") messages.set(entry, toLogged(entry, index + 1));
  }
  const logged = (some: readonly RecordedEntry[]): LoggedMessage[] =>
    some.flatMap((entry) => messages.get(entry) ?? []);
  const fixedTokens = fixedTokensOf(main);
  return main.flatMap((entry, index) => {
    if (entry.kind !== "compaction") return [];
    const next = main.findIndex((other, at) => at > index && other.kind === "compaction");
    const rest = main.slice(index + 1, next < 0 ? undefined : next);
    const summary = rest.find((other) => other.kind === "message" && other.origin === "summary") as
      | RecordedMessage
      | undefined;
    const before = logged(main.slice(0, index));
    // One transcript begins with a compaction: what came before it is not there.
    if (summary === undefined || before.length < 20) return [];
    const text = textOf(summary);
    return {
      session: path,
      cwd: session?.cwd,
      before,
      kept: logged(keptOf(entry, main.slice(0, index))),
      after: firstRounds(rest.filter((other) => other !== summary)).flatMap((other) => messages.get(other) ?? []),
      summary: text,
      filesTokens: session?.agent === "claude-code" ? filesTokensOf(rest, countTokens(text) + fixedTokens) : 0,
    };
  });
}

function toLogged(message: RecordedMessage, sequence: number): LoggedMessage {
  const blocks = message.blocks.map((block) => toBlock(block, "recorded"));
  const origin = message.origin === "agent" ? "host" : message.origin;
  const role = message.role === "assistant" ? "assistant" : "user";
  const { responseId } = message;
  const payload = { role, origin, blocks, ...(responseId === undefined ? {} : { responseId }) } as const;
  return { entry: { kind: "message", sequence, payload }, blocks, origin };
}

function keptOf({ kept }: RecordedCompaction, before: readonly RecordedEntry[]): readonly RecordedEntry[] {
  const idOf = (entry: RecordedEntry): string | undefined => (entry.kind === "message" ? entry.id : undefined);
  if (kept.kind === "listed") return before.filter((entry) => kept.ids.includes(idOf(entry) ?? ""));
  if (kept.kind !== "range") return [];
  const first = before.findIndex((entry) => idOf(entry) === kept.firstId);
  const last = before.findIndex((entry) => idOf(entry) === kept.lastId);
  return first < 0 ? [] : before.slice(first, last < 0 ? undefined : last + 1);
}

function firstRounds(entries: readonly RecordedEntry[]): readonly RecordedEntry[] {
  const rounds = new Set<string>();
  const end = entries.findIndex((entry) => {
    if (entry.kind === "message" && entry.responseId !== undefined) rounds.add(entry.responseId);
    return rounds.size > ROUNDS_AFTER;
  });
  return end < 0 ? entries : entries.slice(0, end);
}

/** System prompt, tools and instructions: what the first request had beside its messages. */
function fixedTokensOf(entries: readonly RecordedEntry[]): number {
  return Math.max(0, besideMessages(entries));
}

/** What the first request after it had beside its messages, the summary and the fixed part: the files put back. */
function filesTokensOf(rest: readonly RecordedEntry[], knownTokens: number): number {
  const beside = besideMessages(rest.filter((entry) => entry.kind !== "message" || entry.origin !== "summary"));
  return Math.min(MAX_FILES_TOKENS, Math.max(0, beside - knownTokens));
}

function besideMessages(entries: readonly RecordedEntry[]): number {
  const usage = entries.find((entry): entry is RecordedUsage => entry.kind === "usage");
  const response = entries.findIndex((entry) => entry.kind === "message" && entry.responseId === usage?.responseId);
  if (usage === undefined || response < 0) return 0;
  const contextTokens = usage.freshTokens + usage.cacheReadTokens + (usage.cacheWriteTokens ?? 0);
  const messages = entries.slice(0, response).filter((entry) => entry.kind === "message");
  return contextTokens - messages.reduce((sum, message) => sum + countTokens(textOf(message)), 0);
}

function textOf({ blocks }: RecordedMessage): string {
  return blocks.map((block) => (block.kind === "text" ? block.text : "")).join("\n");
}
