import { ask, failedFinding, type Question, user } from "../ask.ts";
import type { Finding, Probe, RequestLimits } from "../probe.ts";
import { wireFields } from "../wire-fields.ts";

/** What is said does not matter here. */
const MAX_OUTPUT_TOKENS = 64;
/** No tokenizer makes fewer tokens of plain English; most make half as many again. */
const MAX_CHARACTERS_A_TOKEN = 6;
const MARGIN = 1.2;
const LINE = "A page was scraped and written over, and the earlier writing can still be read beneath it. ";

/** The same long prompt twice: written to the cache, then read from it. */
export const cacheProbe: Probe = {
  check: "cache",
  about: "a long prompt twice: written to the prompt cache, then read from it",
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

/** One API promises that a marked prompt is found; the others cache by themselves, when they can. */
function judge(read: number, { api }: RequestLimits): { readonly state: Finding["state"]; readonly why: string } {
  if (read > 0) return { state: "ok", why: "" };
  return api === "anthropic"
    ? { state: "problem", why: ": a prompt that was marked is to be found, and `cost` goes by these counts" }
    : { state: "note", why: ": this API caches by itself and promises nothing, or the server has no cache" };
}

function some(tokens: number): string {
  return tokens > 0 ? "some" : "none";
}

function systemOf({ mark, facts }: RequestLimits): string {
  const characters = facts.minimumCacheTokens * MAX_CHARACTERS_A_TOKEN * MARGIN;
  return `This is check ${mark} of a program. ${LINE.repeat(Math.ceil(characters / LINE.length))}`;
}
