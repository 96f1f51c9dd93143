import { joinTexts } from "../../join-texts.ts";
import type { Reply } from "../../script.ts";
import { speak } from "../../speak.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import { NO_USAGE, type Usage } from "../../usage.ts";
import { cacheOptions, type Prepared, type World } from "../prepare.ts";
import { planCache } from "../prompt/cache.ts";
import { mintCompaction } from "../prompt/compaction.ts";
import { renderPrompt } from "../prompt/render.ts";
import type { Block } from "../request.ts";
import { thinks, type WrittenMessage, writeMessage } from "./write-message.ts";

/** One run of the model inside a call, as it is billed. */
export interface Pass {
  readonly type: "message" | "compaction";
  readonly usage: Usage;
  /** The run has begun: what it wrote can be read from the cache. */
  commit(): void;
}

export interface PassOptions {
  readonly world: World;
  readonly tokenizer: Tokenizer;
  /** Makes tool call ids unique across answers. */
  readonly ordinal: number;
}

/**
 * The service sums the conversation up, within the request's `max_tokens` and what the window leaves; that a cut summary
 * is kept, and that the answer after it has the whole of `max_tokens` again, is our reading: neither was seen. A failed
 * summary is a block without content, harmless to send back.
 */
export function compactionPass(
  { request, model, prompt, plan, thinkingState }: Prepared,
  reply: Reply,
  how: "on-demand" | "threshold",
  { tokenizer }: PassOptions,
): { block: Block; pass: Pass } {
  const speech = speak(
    { words: joinTexts(reply.words) },
    {
      tokenizer,
      maxOutputTokens: Math.min(
        request.max_tokens ?? Number.POSITIVE_INFINITY,
        model.windowTokens - prompt.prefix.tokens,
      ),
      thinking: thinks(request, model) ? "said" : "left-out",
    },
  );
  const summary = speech.words.flatMap((words) => (words.kind === "text" ? [words.text] : [])).join("");
  // A fault in a summary on demand is a fault of the whole call, and does not get here unless it only breaks the stream.
  const failed = (how === "threshold" && reply.fault !== undefined) || summary.trim() === "";
  const block: Block = failed
    ? { type: "compaction", content: null, encrypted_content: null }
    : mintCompaction(summary, how, thinkingState);
  const usage = { ...NO_USAGE, ...plan.usage, outputTokens: failed ? 0 : speech.outputTokens };
  return { block, pass: { type: "compaction", usage, commit: plan.commit } };
}

/** What is left of a prompt that the service has just compacted: tools, system prompt, and the summary. */
export function afterCompaction(prepared: Prepared, block: Block, { world }: PassOptions): Prepared {
  const { request, call, model, plan } = prepared;
  const said = {
    role: "assistant",
    block,
    measure: world.measures.block(block),
    messageIndex: 0,
    blockIndex: 0,
  } as const;
  const prompt = renderPrompt(request, [said], world.measures);
  const options = { ...cacheOptions(call, model), alsoReadable: plan.writtenKeys };
  return { ...prepared, prompt, plan: planCache(prompt, world.cache, options) };
}

/** The model answers. */
export function messagePass(
  { request, model, account, prompt, plan, thinkingState }: Prepared,
  reply: Reply,
  { world, tokenizer, ordinal }: PassOptions,
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
