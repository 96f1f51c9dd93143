import type { Reply } from "../../script.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import { NO_USAGE, type Usage } from "../../usage.ts";
import { cacheTerms, type Prepared, type World } from "../prepare.ts";
import { planCache } from "../prompt/cache.ts";
import { mintCompaction } from "../prompt/compaction.ts";
import { renderPrompt } from "../prompt/render.ts";
import type { Block } from "../request.ts";
import { type WrittenMessage, wordsTokens, writeMessage } from "./write-message.ts";

/** One run of the model inside a call, as it is billed. */
export interface Pass {
  readonly type: "message" | "compaction";
  readonly usage: Usage;
  /** The run has begun: what it wrote can be read from the cache. */
  commit(): void;
}

export interface PassTerms {
  readonly world: World;
  readonly tokenizer: Tokenizer;
  /** Makes tool call ids unique across answers. */
  readonly ordinal: number;
}

/** The service sums the conversation up. A failed summary is a block without content, harmless to send back. */
export function compactionPass(
  { plan, thinkingState }: Prepared,
  reply: Reply,
  how: "on-demand" | "threshold",
  { tokenizer }: PassTerms,
): { block: Block; pass: Pass } {
  const summary = reply.words.flatMap((words) => (words.kind === "text" ? [words.text] : [])).join("");
  const outputTokens = reply.words.reduce((sum, words) => sum + wordsTokens(words, tokenizer), 0);
  const failed = reply.fault !== undefined || summary.trim() === "";
  const block: Block = failed
    ? { type: "compaction", content: null, encrypted_content: null }
    : mintCompaction(summary, how, thinkingState);
  const usage = { ...NO_USAGE, ...plan.usage, outputTokens: failed ? 0 : outputTokens };
  return { block, pass: { type: "compaction", usage, commit: plan.commit } };
}

/** What is left of a prompt that the service has just compacted: tools, system prompt, and the summary. */
export function afterCompaction(prepared: Prepared, block: Block, { world }: PassTerms): Prepared {
  const { request, call, model, plan } = prepared;
  const said = {
    role: "assistant",
    block,
    measure: world.measures.block(block),
    messageIndex: 0,
    blockIndex: 0,
  } as const;
  const prompt = renderPrompt(request, [said], world.measures);
  const terms = { ...cacheTerms(call, model), alsoReadable: plan.writtenKeys };
  return { ...prepared, prompt, plan: planCache(prompt, world.cache, terms) };
}

/** The model answers. */
export function messagePass(
  { request, model, account, prompt, plan, thinkingState }: Prepared,
  reply: Reply,
  { world, tokenizer, ordinal }: PassTerms,
): { written: WrittenMessage; pass: Pass } {
  const written = writeMessage(reply, request, {
    model,
    account,
    tokenizer,
    measures: world.measures,
    state: thinkingState,
    roomTokens: model.windowTokens - prompt.prefix.tokens,
    ordinal,
  });
  const { outputTokens, thinkingTokens } = written;
  const usage = { ...NO_USAGE, ...plan.usage, outputTokens, thinkingTokens };
  return { written, pass: { type: "message", usage, commit: plan.commit } };
}
