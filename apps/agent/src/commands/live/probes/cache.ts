import { ask, type Finding, failedFinding, type Probe, type Question, type RequestLimits, user } from "../probe.ts";
import { wireFields } from "../wire-fields.ts";

/** The output limit. The answer does not matter here. */
const MAX_OUTPUT_TOKENS = 64;
/** The maximum number of characters per token of plain English in any tokenizer. */
const MAX_CHARACTERS_A_TOKEN = 6;
const MARGIN = 1.2;
const LINE = "A page was scraped and written over, and the earlier writing can still be read beneath it. ";

/** Sends the same long prompt twice. The first request writes the prompt to the cache, and the second reads it. */
export const cacheProbe: Probe = {
  check: "cache",
  about: "send a long prompt twice, to write and read the prompt cache",
  calls: 2,
  plan(target) {
    const inputTokens = Math.ceil(systemOf(target).length / 4);
    const call = { inputTokens, likelyOutputTokens: 20, mostOutputTokens: MAX_OUTPUT_TOKENS };
    return [call, { ...call, likely: "cached" }];
  },
  async run(endpoint, target) {
    const question: Question = {
      system: systemOf(target),
      messages: [user("Answer with the one word: ready")],
      maxTokens: MAX_OUTPUT_TOKENS,
    };
    const first = await ask(endpoint, target, question);
    const second = first.kind === "failed" ? first : await ask(endpoint, target, question);
    if (first.kind === "failed") return [await failedFinding("cache", first.error, endpoint)];
    if (second.kind === "failed") return [await failedFinding("cache", second.error, endpoint)];
    const wire = wireFields(await endpoint.takeExchanges());
    const [written, read] = [first.content.usage.cacheWriteTokens, second.content.usage.cacheReadTokens];
    const { state, why } = judge(read, target);
    const text = `${written} tokens written, ${read} read of ${read + second.content.usage.freshTokens + second.content.usage.cacheWriteTokens}${why}`;
    const fields = {
      ...wire,
      "tokens written by the first request": some(written),
      "tokens read by the second request": some(read),
    };
    return [{ check: "cache", state, text, fields }];
  },
};

/**
 * Judges the cache reads. One API guarantees a cache hit for a marked prompt; the other APIs cache automatically,
 * without a guarantee.
 */
function judge(read: number, { api }: RequestLimits): { readonly state: Finding["state"]; readonly why: string } {
  if (read > 0) return { state: "ok", why: "" };
  return api === "anthropic"
    ? { state: "problem", why: ": the marked prompt was not read from the cache, so the cost report would be wrong" }
    : { state: "note", why: ": this API caches automatically without a guarantee, or the server has no cache" };
}

function some(tokens: number): string {
  return tokens > 0 ? "some" : "none";
}

function systemOf({ mark, facts }: RequestLimits): string {
  const characters = facts.minimumCacheTokens * MAX_CHARACTERS_A_TOKEN * MARGIN;
  return `This is check ${mark} of a program. ${LINE.repeat(Math.ceil(characters / LINE.length))}`;
}
