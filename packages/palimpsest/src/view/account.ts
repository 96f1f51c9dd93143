// Accounts for the context window: how many tokens each kind of content takes.

import type { Block, ToolCall, ToolDefinition } from "../log/block.ts";
import { estimateTokens, featuresOf } from "../size/calibration.ts";
import { definitionBlock, fileOf } from "./items.ts";
import { headTools } from "./tool-search.ts";
import { type MessageItem, sizeTokens, type View } from "./view.ts";

/** Sums up the tokens in the context window by source. */
export function account(view: View, { readPath = pathRead }: AccountOptions = {}): Accounting {
  const lines = toLines(view);
  const sumOf = (place: Place): number => sum(lines.filter((line) => line.place === place));
  const byName = (place: Place): Record<string, number> => {
    const named = Map.groupBy(
      lines.filter((line) => line.place === place),
      ({ name }) => name,
    );
    return Object.fromEntries([...named].map(([name, group]) => [name, sum(group)]));
  };
  const attachments = Map.groupBy(
    lines.filter(({ place }) => place === "attachment"),
    ({ name }) => name,
  );
  const totalTokens = sum(lines);
  const { tools = [] } = view.configuration ?? {};
  const toolDefinitions = tokensByTool(view, headTools(tools));
  const parts = {
    humanTokens: sumOf("human"),
    assistantTokens: sumOf("assistant"),
    toolCallTokens: byName("tool-call"),
    toolResultTokens: byName("tool-result"),
    commandOutputTokens: sumOf("command"),
    otherTokens: sumOf("other"),
  };
  return {
    systemTokens: tokensOf(view, { kind: "text", text: view.configuration?.system ?? "" }),
    toolDefinitionTokens: sum(Object.values(toolDefinitions).map((tokens) => ({ tokens }))),
    toolDefinitions,
    deferredTools: tokensByTool(
      view,
      tools.filter(({ loading }) => loading === "deferred"),
    ),
    ...parts,
    attachments: Object.fromEntries(
      [...attachments].map(([type, group]) => [
        type,
        { count: new Set(group.map(({ item }) => item)).size, tokens: sum(group) },
      ]),
    ),
    totalTokens,
    ...(totalTokens === 0 ? {} : { percentages: percentages(lines, totalTokens) }),
    duplicateReads: duplicateReads(lines, totalTokens, readPath),
    sizeTokens: sizeTokens(view),
  };
}

/** How calls that read files are recognized. */
export interface AccountOptions {
  /** Returns the file that a call reads, or undefined if it reads none. @default by the tool's name and its input */
  readonly readPath?: (call: ToolCall) => string | undefined;
}

/** The tokens in the context window by source. All numbers are estimates of the same kind, so they can be compared. */
export interface Accounting {
  readonly systemTokens: number;
  readonly toolDefinitionTokens: number;
  /** The tokens of each tool in every request, most expensive first. The list of deferred tools counts for `tool_search`. */
  readonly toolDefinitions: Readonly<Record<string, number>>;
  /** The tokens of each deferred tool after it is loaded. */
  readonly deferredTools: Readonly<Record<string, number>>;
  /** The user's messages, and summaries that replace them. */
  readonly humanTokens: number;
  /** Text and thinking of the model. */
  readonly assistantTokens: number;
  readonly toolCallTokens: Readonly<Record<string, number>>;
  readonly toolResultTokens: Readonly<Record<string, number>>;
  readonly commandOutputTokens: number;
  /** Images, documents, and blocks that only the provider can read. */
  readonly otherTokens: number;
  readonly attachments: Readonly<Record<string, { readonly count: number; readonly tokens: number }>>;
  /** The total of the messages, without system prompt and tool definitions. */
  readonly totalTokens: number;
  /** Shares of the total by place; absent when the total is 0. */
  readonly percentages?: Readonly<Partial<Record<Place, number>>>;
  readonly duplicateReads: DuplicateReads;
  /** The size that decisions use: the reported size plus a padded estimate of everything newer. */
  readonly sizeTokens: number;
}

/** The kind of content that a block is counted as. */
export type Place = "human" | "assistant" | "tool-call" | "tool-result" | "command" | "other" | "attachment";

interface DuplicateReads {
  /** Files that were read more than once. */
  readonly fileCount: number;
  readonly wastedTokens: number;
  readonly percentage: number;
  readonly files: Readonly<Record<string, { readonly count: number; readonly wastedTokens: number }>>;
}

function toLines(view: View): Line[] {
  const newestCalls = new Map<string, ToolCall>();
  const lines: Line[] = [];
  for (const item of view.items) {
    if (item.kind === "seal") continue;
    for (const block of item.blocks) {
      if (block.kind === "tool_call") newestCalls.set(block.id, block);
      const call = block.kind === "tool_result" ? newestCalls.get(block.callId) : undefined;
      const name = item.attachment ?? (block.kind === "tool_call" ? block.name : (call?.name ?? "unknown"));
      lines.push({ item, place: placeOf(block, item), name, call, tokens: tokensIn(view, item, block) });
    }
  }
  return lines;
}

/** One block of the view. */
interface Line {
  readonly item: MessageItem;
  readonly place: Place;
  /** The tool or the type of attachment. */
  readonly name: string;
  /** The call that a result belongs to. */
  readonly call: ToolCall | undefined;
  readonly tokens: number;
}

/** Returns the kind of content that a block is counted as. */
export function placeOf({ kind }: Block, { attachment, origin, role }: MessageItem): Place {
  if (attachment !== undefined) return "attachment";
  if (kind === "tool_call") return "tool-call";
  if (kind === "tool_result") return "tool-result";
  if (kind === "image" || kind === "document" || kind === "opaque") return "other";
  if (role === "assistant") return "assistant";
  return origin === "command" ? "command" : "human";
}

/** Estimates the tokens of a block. The features of an item with one block are known already. */
function tokensIn(view: View, { blocks, features }: MessageItem, block: Block): number {
  return blocks.length === 1 ? estimateTokens(view.calibration, features) : tokensOf(view, block);
}

function tokensByTool(view: View, tools: readonly ToolDefinition[]): Record<string, number> {
  const costs = tools.map((tool): [string, number] => [tool.name, definitionTokens(view, tool)]);
  return Object.fromEntries(costs.sort(([, left], [, right]) => right - left));
}

/** Estimates the tokens of a tool's definition. */
export function definitionTokens(view: View, tool: ToolDefinition): number {
  return tokensOf(view, definitionBlock(tool));
}

function tokensOf(view: View, block: Block): number {
  return estimateTokens(view.calibration, featuresOf(block, view.featureOptions));
}

function percentages(lines: readonly Line[], totalTokens: number): Record<Place, number> {
  const places = Map.groupBy(lines, ({ place }) => place);
  const shares = [...places].map(([place, group]) => [place, toPercentage(sum(group), totalTokens)]);
  return Object.fromEntries(shares) as Record<Place, number>;
}

/** Finds files that were read more than once. All but one read count as wasted. */
function duplicateReads(
  lines: readonly Line[],
  totalTokens: number,
  readPath: (call: ToolCall) => string | undefined,
): DuplicateReads {
  const reads = Map.groupBy(lines, ({ call }) => (call === undefined ? undefined : readPath(call)));
  const files = [...reads].flatMap(([path, group]) => {
    const count = group.length;
    if (path === undefined || count < 2) return [];
    return [{ path, count, wastedTokens: Math.floor(sum(group) / count) * (count - 1) }];
  });
  const wastedTokens = sum(files.map((file) => ({ tokens: file.wastedTokens })));
  return {
    fileCount: files.length,
    wastedTokens,
    percentage: totalTokens === 0 ? 0 : toPercentage(wastedTokens, totalTokens),
    files: Object.fromEntries(files.map(({ path, ...file }) => [path, file])),
  };
}

function pathRead(call: ToolCall): string | undefined {
  const file = fileOf(call);
  return file?.access === "read" ? file.path : undefined;
}

function toPercentage(tokens: number, totalTokens: number): number {
  return Math.round((tokens / totalTokens) * 1000) / 10;
}

function sum(lines: readonly { readonly tokens: number }[]): number {
  return lines.reduce((total, { tokens }) => total + tokens, 0);
}

/** Returns the tokens in the context window as named rows, largest first. */
export function accountingRows(accounting: Accounting): readonly (readonly [name: string, tokens: number])[] {
  const named = (what: string, tokensBy: Readonly<Record<string, number>>): [string, number][] =>
    Object.entries(tokensBy).map(([name, count]) => [`${what} ${name}`, count]);
  const attachments = Object.entries(accounting.attachments).map(([type, { tokens: count }]) => [type, count] as const);
  const rows: readonly [string, number][] = [
    ["system prompt", accounting.systemTokens],
    ["tool definitions", accounting.toolDefinitionTokens],
    ["your messages, summaries", accounting.humanTokens],
    ["the model's answers", accounting.assistantTokens],
    ...named("tool calls:", accounting.toolCallTokens),
    ...named("tool results:", accounting.toolResultTokens),
    ["output of your commands", accounting.commandOutputTokens],
    ...named("attached:", Object.fromEntries(attachments)),
    ["images, documents", accounting.otherTokens],
  ];
  return rows.filter(([, count]) => count > 0).toSorted(([, one], [, other]) => other - one);
}
