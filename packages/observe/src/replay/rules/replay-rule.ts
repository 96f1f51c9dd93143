import type { ToolCall } from "palimpsest";
import { factsOf, type UsedFact } from "../facts.ts";
import { followFiles } from "../known-files.ts";
import { createNeedCheck, type Shown } from "../need-check.ts";
import { type Need, textOf } from "../needs.ts";
import type { RecordedItem, Recording } from "../recording.ts";
import { type ReplayedRequest, type ReplayRun, writingMs } from "../replay-run.ts";
import { factLines, factsToKeep, prose, SUMMARY_TOKENS } from "../simulated-summary.ts";
import { createPrefixCache, type PrefixCache } from "./prefix-cache.ts";
import type { Rule, RuleMessage, RulePrepared, RuleSituation, SummaryCall } from "./rule.ts";
import { BLOCK_TOKENS, createToMessage, outputTokensOf } from "./to-message.ts";

/** The window and the cache that a rule is replayed with. */
export interface ReplayRuleOptions {
  readonly windowTokens: number;
  /** Rules ignore the lifetime, so one pass gives a run for each. */
  readonly lifetimesMs: readonly number[];
  /** Tokens of system prompt and tools, as the simulator counts them. */
  readonly headTokens: number;
  /** Is called after each round of the recording, with how many are done. @default nobody is told */
  readonly onProgress?: (rounds: number) => void;
}

/** The shortest prompt that the simulated model caches. */
const LEAST_CACHED_TOKENS = 1_024;
/** The size of the request for a summary. */
const SUMMARY_PROMPT_TOKENS = 900;
/** The size of the model's call to fetch something again. */
const REFETCH_OUTPUT_TOKENS = 80;

/** A cache with one lifetime, and the cost of requests with it. */
interface Bill {
  readonly cache: PrefixCache;
  readonly requests: ReplayedRequest[];
}

/** Runs a recording through a rule on a list of messages, with the same counting, cache and needs as the engine. */
export async function replayRule(
  recording: Recording,
  needs: readonly (readonly Need[])[],
  rule: Rule,
  { windowTokens, lifetimesMs, headTokens, onProgress }: ReplayRuleOptions,
): Promise<readonly ReplayRun[]> {
  const { items, rounds, sizes, cwd } = recording;
  const bills = lifetimesMs.map((lifetimeMs): Bill => {
    return { cache: createPrefixCache({ lifetimeMs, headTokens, minimumTokens: LEAST_CACHED_TOKENS }), requests: [] };
  });
  const check = createNeedCheck();
  const fileThen = followFiles(items);
  const countText = (text: string): number => Math.ceil(Buffer.byteLength(text) / sizes.bytesPerToken);
  const toMessage = createToMessage(items, countText);
  const facts = new WeakMap<RuleMessage, readonly UsedFact[]>();
  const shown = new WeakMap<RuleMessage, Shown>();
  const session = rule.begin();
  let messages: readonly RuleMessage[] = [];
  let prepared: RulePrepared = { kept: [] };
  const compactedAt: number[] = [];
  let [responses, cleared, waitedMs, said, clockMs] = [0, 0, 0, 0, 0];
  let previousMs: number | undefined;

  const made = (kind: RuleMessage["kind"], text: string): RuleMessage => {
    return { kind, text, tokens: countText(text) + BLOCK_TOKENS, blocks: 1 };
  };

  function factsIn(message: RuleMessage): readonly UsedFact[] {
    const { item, text } = message;
    const known = facts.get(message) ?? [
      ...factsOf(item === undefined ? [{ kind: "text", text }] : items[item]!.blocks, { cwd }),
    ];
    facts.set(message, known);
    return known;
  }

  function summaryOf(view: readonly (readonly UsedFact[])[]): string {
    compactedAt.push(responses);
    const lines = factLines(factsToKeep(view, SUMMARY_TOKENS.summary));
    return `${prose(SUMMARY_TOKENS.summary * sizes.bytesPerToken - lines.length)}\n${lines}`;
  }

  const outputTokens = SUMMARY_TOKENS.summary + SUMMARY_TOKENS.scratchpad;

  function summarize(of: readonly RuleMessage[], how: SummaryCall): RuleMessage {
    const { prompt, resultCharacters, calls = 1 } = how;
    const tokens = of.reduce((sum, message) => sum + transcriptTokens(message, resultCharacters, countText), 0);
    for (const { cache, requests } of bills) {
      const fresh = { freshTokens: tokens + SUMMARY_PROMPT_TOKENS, cacheReadTokens: 0, cacheWriteTokens: 0 };
      const input = prompt === "fresh" ? fresh : cache.peek(of, SUMMARY_PROMPT_TOKENS, clockMs);
      for (let call = 0; call < calls; call++) requests.push({ source: "summary", ...input, outputTokens });
    }
    waitedMs += calls * writingMs(outputTokens);
    return made("summary", summaryOf(of.map(factsIn)));
  }

  /** A text is a sequence too: later parts of it count as newer. */
  function summarizeText(text: string): string {
    for (const { requests } of bills) {
      const input = { freshTokens: countText(text), cacheReadTokens: 0, cacheWriteTokens: 0 };
      requests.push({ source: "summary", ...input, outputTokens });
    }
    waitedMs += writingMs(outputTokens);
    return summaryOf(inParts(text).map((part) => [...factsOf([{ kind: "text", text: part }], { cwd })]));
  }

  const sizeOf = (of: readonly RuleMessage[]): number => of.reduce((sum, { tokens }) => sum + tokens, headTokens);

  async function prepare(nowMs: number): Promise<void> {
    clockMs = nowMs;
    const situation: RuleSituation = {
      nowMs,
      windowTokens,
      headTokens,
      sizeOf,
      made,
      summarize,
      summarizeText,
      idleMs: previousMs === undefined ? undefined : nowMs - previousMs,
      replaced(message, text) {
        const { item: _, ...rest } = message;
        if (message.kind === "result") cleared++;
        return { ...rest, text, tokens: countText(text) + BLOCK_TOKENS * message.blocks };
      },
      readFile: (path) => fileThen(path, said),
    };
    prepared = await session.prepare(messages, situation);
    messages = prepared.kept;
  }

  const sent = (): readonly RuleMessage[] => prepared.sent ?? prepared.kept;

  function send(source: ReplayedRequest["source"], tokens: number): void {
    for (const { cache, requests } of bills) {
      requests.push({ source, ...cache.send(sent(), clockMs, prepared.stableMessages), outputTokens: tokens });
    }
    previousMs = clockMs;
  }

  function shownBy(message: RuleMessage): Shown {
    const { item, text } = message;
    const known: Shown =
      shown.get(message) ?? (item === undefined ? { kind: "words", text } : { kind: "items", items: [item] });
    shown.set(message, known);
    return known;
  }

  for (const [index, { arrivals, sentAtMs, response }] of rounds.entries()) {
    messages = [...messages, ...arrivals.map(toMessage)];
    said = response.index;
    await prepare(sentAtMs);
    const missing = check.missing(needs[index]!, sent().map(shownBy));
    if (missing.length > 0) {
      send("refetch", REFETCH_OUTPUT_TOKENS * missing.length);
      messages = [...messages, ...missing.flatMap((at) => refetched(items[at]!, index, countText))];
      await prepare(sentAtMs);
    }
    send("conversation", outputTokensOf(response.blocks, countText));
    messages = [...messages, toMessage(response)];
    responses++;
    onProgress?.(responses);
  }
  const common = { compactedAt, cleared, waitedMs, thinkingSent: undefined, needs: check.counts };
  return bills.map(({ requests }) => ({ requests, ...common }));
}

/** Returns the call that fetches an item again, and its result. */
function refetched(item: RecordedItem, round: number, countText: (text: string) => number): readonly RuleMessage[] {
  const text = textOf(item);
  const id = `again-${round}-${item.index}`;
  const call: ToolCall = { kind: "tool_call", id, name: "recall", input: { entry: item.index } };
  const common = { blocks: 1, said: "" };
  return [
    { ...common, kind: "response", text: "", tokens: REFETCH_OUTPUT_TOKENS, calls: [call] },
    { ...common, kind: "result", text, tokens: countText(text) + BLOCK_TOKENS, item: item.index, call, status: "ok" },
  ];
}

function transcriptTokens(
  { kind, text, tokens }: RuleMessage,
  resultCharacters: number | undefined,
  countText: (text: string) => number,
): number {
  const isCut = kind === "result" && resultCharacters !== undefined && text.length > resultCharacters;
  return isCut ? countText(text.slice(0, resultCharacters)) : tokens;
}

const PART_CHARACTERS = 2_000;

/** Splits a text at line ends, if there are any. */
function inParts(text: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += parts.at(-1)!.length) {
    const part = text.slice(at, at + PART_CHARACTERS);
    const lineEnd = at + PART_CHARACTERS < text.length ? part.lastIndexOf("\n") + 1 : 0;
    parts.push(lineEnd > 0 ? part.slice(0, lineEnd) : part);
  }
  return parts;
}
