import { ask, failedFinding, type Question, user } from "../ask.ts";
import type { Finding, Probe, Terms } from "../probe.ts";
import { wireFields } from "../wire-fields.ts";

/** What is said does not matter here. */
const MOST_OUTPUT_TOKENS = 64;
/** No tokenizer makes fewer tokens of plain English; most make half as many again. */
const MOST_CHARACTERS_A_TOKEN = 6;
const MARGIN = 1.2;
const LINE = "A page was scraped and written over, and the earlier writing can still be read beneath it. ";

/** The same long prompt twice: written to the cache, then read from it. */
export const cacheProbe: Probe = {
  check: "cache",
  about: "a long prompt twice: written to the prompt cache, then read from it",
  calls: 2,
  plan(terms) {
    const inputTokens = Math.ceil(systemOf(terms).length / 4);
    const call = { inputTokens, likelyOutputTokens: 20, mostOutputTokens: MOST_OUTPUT_TOKENS };
    return [call, { ...call, likely: "cached" }];
  },
  async run(endpoint, terms) {
    const question: Question = {
      system: systemOf(terms),
      messages: [user("Answer with the one word: ready")],
      maxTokens: MOST_OUTPUT_TOKENS,
    };
    const first = await ask(endpoint, terms, question);
    const second = first.kind === "failed" ? first : await ask(endpoint, terms, question);
    if (first.kind === "failed") return [await failedFinding("cache", first.error, endpoint)];
    if (second.kind === "failed") return [await failedFinding("cache", second.error, endpoint)];
    const wire = wireFields(await endpoint.takeExchanges());
    const [written, read] = [first.content.usage.cacheWriteTokens, second.content.usage.cacheReadTokens];
    const { state, why } = judge(read, terms);
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
function judge(read: number, { api }: Terms): { readonly state: Finding["state"]; readonly why: string } {
  if (read > 0) return { state: "ok", why: "" };
  return api === "anthropic"
    ? { state: "problem", why: ": a prompt that was marked is to be found, and `cost` goes by these counts" }
    : { state: "note", why: ": this API caches by itself and promises nothing, or the server has no cache" };
}

function some(tokens: number): string {
  return tokens > 0 ? "some" : "none";
}

function systemOf({ mark, facts }: Terms): string {
  const characters = facts.minimumCacheTokens * MOST_CHARACTERS_A_TOKEN * MARGIN;
  return `This is check ${mark} of a program. ${LINE.repeat(Math.ceil(characters / LINE.length))}`;
}
