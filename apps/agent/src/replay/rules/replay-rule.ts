import type { Block, ToolCall } from "palimpsest";
import { factsOf, type UsedFact } from "../facts.ts";
import { countedText } from "../fit-sizes.ts";
import { followFiles } from "../known-files.ts";
import { createNeedCheck, type Shown } from "../need-check.ts";
import { type Need, textOf } from "../needs.ts";
import type { RecordedItem, Recording } from "../recording.ts";
import type { ReplayedRequest, ReplayRun } from "../replay-run.ts";
import { factLines, factsToKeep, prose, SUMMARY_TOKENS } from "../simulated-summary.ts";
import { createPrefixCache } from "./prefix-cache.ts";
import type { Rule, RuleMessage, RuleSituation, SummaryCall } from "./rule.ts";

export interface RuleTerms {
  readonly windowTokens: number;
  readonly lifetimeMs: number;
  /** Of system prompt and tools, as the simulator counts them. */
  readonly headTokens: number;
}

const BLOCK_TOKENS = 4;
/** The shortest prompt that the simulated model caches. */
const LEAST_CACHED_TOKENS = 1_024;
/** What asks for a summary. */
const SUMMARY_PROMPT_TOKENS = 900;
/** What the model says to have something again. */
const REFETCH_OUTPUT_TOKENS = 80;

/** Runs a recording through a rule on a list of messages: the same counting, cache and needs as with the engine. */
export async function replayRule(
  recording: Recording,
  needs: readonly (readonly Need[])[],
  rule: Rule,
  terms: RuleTerms,
): Promise<ReplayRun> {
  const { items, rounds, sizes, cwd } = recording;
  const { headTokens, lifetimeMs, windowTokens } = terms;
  const cache = createPrefixCache({ lifetimeMs, headTokens, leastTokens: LEAST_CACHED_TOKENS });
  const check = createNeedCheck();
  const fileThen = followFiles(items);
  const countText = (text: string): number => Math.ceil(Buffer.byteLength(text) / sizes.bytesPerToken);
  const toMessage = createToMessage(items, countText);
  const facts = new WeakMap<RuleMessage, readonly UsedFact[]>();
  const shown = new WeakMap<RuleMessage, Shown>();
  const requests: ReplayedRequest[] = [];
  const session = rule.begin();
  let messages: readonly RuleMessage[] = [];
  let sent: readonly RuleMessage[] = [];
  let [compactions, cleared] = [0, 0];
  let previousMs: number | undefined;
  let clockMs = 0;
  let said = 0;

  const factsIn = (message: RuleMessage): readonly UsedFact[] => {
    const known = facts.get(message) ?? [...factsOf(blocksOf(message, items), { cwd })];
    facts.set(message, known);
    return known;
  };

  function summarise(of: readonly RuleMessage[], { prompt, resultCharacters, newestTokens, calls = 1 }: SummaryCall) {
    const read = newestTokens === undefined ? of : newest(of, newestTokens);
    const tokens = read.reduce((sum, message) => sum + transcriptTokens(message, resultCharacters, countText), 0);
    const fresh = { freshTokens: tokens + SUMMARY_PROMPT_TOKENS, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const input = prompt === "fresh" ? fresh : cache.peek(of, SUMMARY_PROMPT_TOKENS, clockMs);
    const outputTokens = SUMMARY_TOKENS.summary + SUMMARY_TOKENS.scratchpad;
    for (let call = 0; call < calls; call++) requests.push({ source: "summary", ...input, outputTokens });
    compactions++;
    const lines = factLines(factsToKeep(read.map(factsIn), SUMMARY_TOKENS.summary));
    const rest = prose(SUMMARY_TOKENS.summary * sizes.bytesPerToken - lines.length);
    return made("summary", `${rest}\n${lines}`);
  }

  function made(kind: RuleMessage["kind"], text: string): RuleMessage {
    return { kind, text, tokens: countText(text) + BLOCK_TOKENS, blocks: 1 };
  }

  const sizeOf = (of: readonly RuleMessage[]): number => of.reduce((sum, { tokens }) => sum + tokens, headTokens);

  async function prepare(nowMs: number): Promise<void> {
    clockMs = nowMs;
    const situation: RuleSituation = {
      ...{ nowMs, windowTokens, headTokens, sizeOf, made, summarise },
      idleMs: previousMs === undefined ? undefined : nowMs - previousMs,
      replaced(message, text) {
        const { item: _, ...rest } = message;
        if (message.kind === "result") cleared++;
        return { ...rest, text, tokens: countText(text) + BLOCK_TOKENS * message.blocks };
      },
      readFile: (path) => fileThen(path, said),
    };
    const { kept, sent: less = kept } = await session.prepare(messages, situation);
    messages = kept;
    sent = less;
  }

  function send(source: ReplayedRequest["source"], outputTokens: number, nowMs: number): void {
    requests.push({ source, ...cache.send(sent, nowMs), outputTokens });
    previousMs = nowMs;
  }

  const shownBy = (message: RuleMessage): Shown => {
    const known =
      shown.get(message) ??
      (message.item === undefined ? { kind: "words", text: message.text } : { kind: "items", items: [message.item] });
    shown.set(message, known);
    return known as Shown;
  };

  for (const [index, { arrivals, sentAtMs, response }] of rounds.entries()) {
    messages = [...messages, ...arrivals.map(toMessage)];
    said = response.index;
    await prepare(sentAtMs);
    const missing = check.missing(needs[index]!, sent.map(shownBy));
    if (missing.length > 0) {
      send("refetch", REFETCH_OUTPUT_TOKENS * missing.length, sentAtMs);
      const fetched = missing.flatMap((at) => refetched(items[at]!, at, countText));
      messages = [...messages, ...fetched];
      await prepare(sentAtMs);
    }
    const answer = toMessage(response);
    send("conversation", outputTokensOf(response.blocks, countText), sentAtMs);
    messages = [...messages, answer];
  }
  const { needs: needed, met, refetches } = check.counts;
  return { requests, compactions, cleared, needs: needed, needsMet: met, refetches };
}

function createToMessage(items: readonly RecordedItem[], countText: (text: string) => number) {
  const calls = new Map<string, ToolCall>();
  for (const { blocks } of items)
    for (const block of blocks) if (block.kind === "tool_call") calls.set(block.id, block);
  return (item: RecordedItem): RuleMessage => {
    const [first] = item.blocks;
    const common = {
      text: textOf(item),
      tokens: tokensOf(item.blocks, countText),
      blocks: Math.max(1, item.blocks.length),
      item: item.index,
    };
    if (item.role === "assistant") {
      return { kind: "response", ...common, calls: item.blocks.filter((block) => block.kind === "tool_call") };
    }
    if (first?.kind !== "tool_result") return { kind: item.origin === "human" ? "words" : "host", ...common };
    const call = calls.get(first.callId);
    return { kind: "result", ...common, status: first.status, ...(call === undefined ? {} : { call }) };
  };
}

/** The call that asks for it, and what comes back. */
function refetched(item: RecordedItem, at: number, countText: (text: string) => number): readonly RuleMessage[] {
  const text = textOf(item);
  const call: ToolCall = { kind: "tool_call", id: `again-${at}`, name: "recall", input: { entry: at } };
  return [
    { kind: "response", text: "", tokens: REFETCH_OUTPUT_TOKENS, blocks: 1, calls: [call] },
    { kind: "result", text, tokens: countText(text) + BLOCK_TOKENS, blocks: 1, item: at, call, status: "ok" },
  ];
}

function tokensOf(blocks: readonly Block[], countText: (text: string) => number): number {
  return blocks.reduce((sum, block) => sum + countText(countedText(block)) + BLOCK_TOKENS, 0);
}

/** Calls have a frame when they are written; text has none. */
function outputTokensOf(blocks: readonly Block[], countText: (text: string) => number): number {
  return blocks.reduce(
    (sum, block) => sum + countText(countedText(block)) + (block.kind === "tool_call" ? BLOCK_TOKENS : 0),
    0,
  );
}

function transcriptTokens(
  { kind, text, tokens }: RuleMessage,
  resultCharacters: number | undefined,
  countText: (text: string) => number,
): number {
  const isCut = kind === "result" && resultCharacters !== undefined && text.length > resultCharacters;
  return isCut ? countText(text.slice(0, resultCharacters)) : tokens;
}

/** The newest messages that fit. */
function newest(messages: readonly RuleMessage[], tokens: number): readonly RuleMessage[] {
  let left = tokens;
  const first = messages.findLastIndex((message) => {
    left -= message.tokens;
    return left < 0;
  });
  return messages.slice(first + 1);
}

function blocksOf({ item, text }: RuleMessage, items: readonly RecordedItem[]): readonly Block[] {
  return item === undefined ? [{ kind: "text", text }] : items[item]!.blocks;
}
