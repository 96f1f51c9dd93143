// Recognizes errors and responses that report an input larger than the context window, and reads their token counts.

import { inputTokensOf } from "../log/usage.ts";
import { asCount, asObject, asString } from "../schema/json-fields.ts";
import { headOf } from "../text.ts";
import type { ProviderFailure, ResponseContent } from "./provider.ts";

/**
 * Returns the overflow that an error reports, with token counts if the error contains them; otherwise undefined.
 * Clients and proxies may have wrapped the error. Rate limit errors never count, even if they mention tokens: waiting
 * solves them, and a smaller request does not.
 */
export function readOverflow(error: unknown): Overflow | undefined {
  const { texts, statuses, counts } = gatherError(error);
  const isAbout = (patterns: readonly RegExp[]): boolean =>
    texts.some((text) => patterns.some((pattern) => pattern.test(text)));
  const has = (codes: readonly string[]): boolean => texts.some((text) => codes.includes(text));
  if (statuses.some((status) => OTHER_CAUSES.includes(status)) || isAbout(PACE_TEXTS)) return undefined;
  const numbers = { ...findCounts(texts), ...counts };
  if (has(OVERFLOW_CODES) || isAbout(OVERFLOW_TEXTS)) return { kind: "overflow", by: "tokens", ...numbers };
  if (has(TOO_LARGE_CODES) || isAbout(TOO_LARGE_TEXTS)) return { kind: "overflow", by: "bytes" };
  const isRefused = statuses.every((status) => REFUSED_STATUSES.includes(status));
  if (isRefused && isAbout(LOOSE_OVERFLOW_TEXTS)) return { kind: "overflow", by: "tokens", ...numbers };
  return statuses.includes(413) ? { kind: "overflow", by: "bytes" } : undefined;
}

/** A failure because of an input that is too long. */
export type Overflow = Extract<ProviderFailure, { kind: "overflow" }>;

/** Statuses of a refused request. With any other status, only an unambiguous sentence counts. */
const REFUSED_STATUSES: readonly number[] = [400, 413, 422];

/** Statuses with an unrelated cause: credentials, a missing model, the request rate. */
const OTHER_CAUSES: readonly number[] = [401, 402, 403, 404, 408, 409, 429];

/**
 * Detects an overflow that the server did not report: more input than the window holds, or an answer that was cut at
 * its first token because the input filled the window.
 */
export function readSilentOverflow(
  { usage, stop }: Pick<ResponseContent, "usage" | "stop">,
  windowTokens: number,
): Overflow | undefined {
  const inputTokens = inputTokensOf(usage);
  const isFull = stop === "length" && usage.outputTokens === 0 && inputTokens >= FULL_WINDOW_SHARE * windowTokens;
  if (inputTokens <= windowTokens && !isFull) return undefined;
  return { kind: "overflow", by: "tokens", inputTokens, limitTokens: windowTokens };
}

/** An empty answer to an input this close to the window means that the server cut the input. */
const FULL_WINDOW_SHARE = 0.99;

/**
 * Collects statuses, codes, texts and token counts from an error, at any depth of wrapping. Cycles are visited once,
 * and nesting stops at eight levels.
 */
export function gatherError(error: unknown): Gathered {
  const found: Gathered = { texts: [], statuses: [], counts: {} };
  const seen = new Set<unknown>();
  const walk = (value: unknown, depth: number): void => {
    if (typeof value === "string") {
      found.texts.push(headOf(value, MAX_TEXT_CHARACTERS));
      const inner = parseInside(value);
      if (inner !== undefined && depth < MAXIMUM_DEPTH) walk(inner, depth + 1);
    } else if (typeof value === "number") {
      if (value >= 400 && value < 600) found.statuses.push(value);
    } else if (Array.isArray(value)) {
      for (const element of value) walk(element, depth);
    } else if (asObject(value) !== undefined && !seen.has(value) && depth < MAXIMUM_DEPTH) {
      seen.add(value);
      walkFields(value as Readonly<Record<string, unknown>>, depth + 1);
    }
  };
  const walkFields = (object: Readonly<Record<string, unknown>>, depth: number): void => {
    const inputTokens = asCount(object["n_prompt_tokens"]);
    const limitTokens = asCount(object["n_ctx"]);
    if (inputTokens !== undefined) found.counts.inputTokens = inputTokens;
    if (limitTokens !== undefined) found.counts.limitTokens = limitTokens;
    for (const field of FIELDS) if (object[field] !== undefined) walk(object[field], depth);
  };
  walk(error, 0);
  return found;
}

/** Sentences of providers are shorter. A proxy may send a whole page. */
const MAX_TEXT_CHARACTERS = 4_000;

/** The parts of an error that can name its cause, from every layer that clients and proxies have wrapped around it. */
interface Gathered {
  readonly texts: string[];
  readonly statuses: number[];
  readonly counts: { inputTokens?: number; limitTokens?: number };
}

/** The fields in which errors keep their codes and texts. No other field is read: the request may contain any text. */
const FIELDS = [
  ...["message", "error", "errors", "cause", "body", "responseBody", "data", "response", "details", "detail"],
  ...["metadata", "raw", "code", "type", "errorCode", "error_code", "name", "status", "statusCode", "reason"],
  ...["$metadata", "$response", "httpStatusCode", "param"],
];

const MAXIMUM_DEPTH = 8;

/**
 * Parses JSON inside a text: proxies quote the body they received, often after a status or a few words of their own.
 */
function parseInside(text: string): unknown {
  const start = text.indexOf("{");
  if (start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start, text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}

/** Finds the size of the input and the limit in the texts of an error. */
function findCounts(texts: readonly string[]): { inputTokens?: number; limitTokens?: number } {
  const find = (patterns: readonly RegExp[]): number | undefined => {
    for (const text of texts) {
      for (const pattern of patterns) {
        const digits = asString(pattern.exec(text)?.[1])?.replace(/\D/g, "");
        if (digits) return Number(digits);
      }
    }
    return undefined;
  };
  const [inputTokens, limitTokens] = [find(INPUT_COUNTS), find(LIMIT_COUNTS)];
  return {
    inputTokens,
    limitTokens,
  };
}

/** Returns the pattern without case, with `N` replaced by a number with or without separators. */
export function withNumber({ source }: RegExp): RegExp {
  return new RegExp(source.replace(/\bN\b/g, "\\d[\\d,._]*"), "i");
}

// The codes and sentences below were all seen on the wire, from providers and from compatible servers. The order does
// not matter. `N` stands for a number.

/** Machine codes that always mean overflow, with any status. */
const OVERFLOW_CODES: readonly string[] = [
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "ContextWindowExceededError",
  "model_context_window_exceeded",
];

/** Codes for a body with too many bytes. */
const TOO_LARGE_CODES: readonly string[] = ["request_too_large", "request_body_too_large_after_decoding"];

/** Sentences that always mean overflow. */
const OVERFLOW_TEXTS: readonly RegExp[] = [
  // Anthropic, also behind Bedrock and Vertex
  /prompt is too long/,
  /input length and `?max_tokens`? exceed context limit/,
  // Bedrock
  /input is too long for (?:the )?requested model/,
  // OpenAI, Azure
  /exceeds the context window/,
  /context[ _]length[ _]exceeded/,
  /maximum context length (?:is|of) \(?N\)?/,
  // LiteLLM and other proxies
  /exceeds the model'?s maximum context length/,
  /ContextWindowExceededError/i,
  // Gemini, Vertex
  /input token count.{0,40} exceeds the maximum/,
  // xAI
  /maximum prompt length is N/,
  // Groq, Cerebras
  /reduce the length of the messages/,
  // OpenRouter with Poolside
  /exceeds the maximum allowed input length/,
  // Together
  /is longer than the model'?s context length/,
  // Copilot
  /token count of N exceeds the limit of N/,
  // llama.cpp
  /exceeds the available context size/,
  // LM Studio
  /greater than the context length/,
  /context length of only N tokens/,
  /context length is only N tokens/,
  // Ollama
  /prompt too long; exceeded (?:max )?context length/,
  // MiniMax
  /context window exceeds limit/,
  // Kimi
  /exceeded model token limit/,
  // Mistral
  /too large for model with N maximum context length/,
  // DashScope, Qwen
  /range of input length should be/,
  // DS4
  /prompt has N tokens, but the configured context size is N/,
  // z.ai
  /model_context_window_exceeded/,
  /prompt exceeds max length/,
  // vLLM, SGLang, TGI
  /prompt contains at least N input tokens/,
  /input length.{0,60} exceeds.{0,40} context length/,
  /`?inputs`? tokens? \+ `?max_new_tokens`? must be <= N/,
  // Fireworks, Cohere, and sentences that other agents recognize
  /tokens in request more than max tokens allowed/,
  /input tokens exceed model token limit/,
  // llama-cpp-python, ctransformers, and earlier vLLM
  /requested tokens (?:\(N\) )?exceed context window of N/,
  /exceeded maximum context length/,
  /prompt \((?:total length )?N(?: tokens)?\) is too long/,
  /`?inputs`? must have less than N tokens/,
].map(withNumber);

/** Ambiguous sentences. They count only with a status of a refused request. */
const LOOSE_OVERFLOW_TEXTS: readonly RegExp[] = [
  /too many (?:input )?tokens/,
  /token limit exceeded/,
  /context (?:length|window|size).{0,20} exceeded/,
  // Cerebras sends no body; client libraries report it with this text.
  /^400 status code \(no body\)$/,
].map(withNumber);

/** Sentences about too many bytes. */
const TOO_LARGE_TEXTS: readonly RegExp[] = [
  // OpenAI, for one text in the request. The same sentence about an id has a smaller maximum.
  /string too long\. expected a string with maximum length \d{6,}/,
  /request_too_large/,
  /request exceeds the maximum size/,
  /request entity too large/,
  /payload too large/,
  /(?:request )?body (?:is )?too large/,
].map(withNumber);

/** Sentences about the request rate, not the size, although some mention too many tokens. */
const PACE_TEXTS: readonly RegExp[] = [
  /rate[ _-]?limit/,
  /too many requests/,
  /(?:tokens?|requests?) per (?:second|minute|min|hour|day|month)/,
  /per[- ](?:minute|day)/,
  /\b[TR]P[MD]\b/i,
  /throttl/,
  /^(?:service unavailable|serviceunavailableexception)\b/,
  /please wait before trying again/,
  /quota/,
].map(withNumber);

/** Patterns that capture the size of the input in an overflow sentence. */
const INPUT_COUNTS: readonly RegExp[] = [
  /(N) tokens > N/,
  /context limit: (N) \+ N > N/,
  /requested (?:about )?N tokens \((N) /,
  /resulted in (?:over )?(N) tokens/,
  /(?:at least|request has) (N) input tokens/,
  /given: (N) `?inputs`? tokens/,
  /must have less than N tokens\. given: (N)/,
  /requested tokens \((N)\) exceed/,
  /prompt \((?:total length )?(N)(?: tokens)?\) is too long/,
  /number of tokens \((N)\) exceeded/,
  /cannot exceed N - received (N)/,
  /request contains (N) tokens/,
  /prompt contains (N) tokens/,
  /\(requested: (N)\)/,
  /token count (?:of )?\(?(N)\)? exceeds/,
  /input \((N) tokens\)/,
  /input length (?:of )?\(?(N)\)?(?: tokens)? exceeds/,
  /prompt has (N) tokens/,
  /request \((N) tokens\) exceeds/,
  /n_prompt_tokens\D{1,4}(N)/,
  /keep the first (N) tokens/,
].map(withNumber);

/** Patterns that capture the limit. */
const LIMIT_COUNTS: readonly RegExp[] = [
  /> (N) maximum/,
  /context limit: N \+ N > (N)/,
  /maximum (?:context|prompt) length (?:is|of) \(?(N)/,
  /maximum number of tokens allowed \(?(N)/,
  /exceeds the limit of (N)/,
  /model token limit: (N)/,
  /input length should be \[N, (N)\]/,
  /context size is (N)/,
  /context size \((N) tokens\)/,
  /context length \(?(N)(?: tokens)?\)?/,
  /context window of (N)/,
  /exceeds limit of (N)/,
  /must have less than (N) tokens/,
  /cannot exceed (N) - received/,
  /maximum allowed input length of (N)/,
  /with (N) maximum context length/,
  /context length (?:of|is) only (N)/,
  /max_new_tokens`? must be <= (N)/,
  /n_ctx\D{1,4}(N)/,
].map(withNumber);
