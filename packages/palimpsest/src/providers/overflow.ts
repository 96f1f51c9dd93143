import { inputTokensOf } from "../log/input-tokens.ts";
import { asCount, asObject, asString } from "../log/json-fields.ts";
import {
  INPUT_COUNTS,
  LIMIT_COUNTS,
  LOOSE_OVERFLOW_TEXTS,
  OVERFLOW_CODES,
  OVERFLOW_TEXTS,
  PACE_TEXTS,
  TOO_LARGE_CODES,
  TOO_LARGE_TEXTS,
} from "./overflow-texts.ts";
import type { ResponseContent } from "./provider.ts";
import type { ProviderFailure } from "./provider-error.ts";

export type Overflow = Extract<ProviderFailure, { kind: "overflow" }>;

/** Statuses of a refused request. With any other, only a sentence that means nothing else is believed. */
const REFUSED_STATUSES: readonly number[] = [400, 413, 422];
/** Statuses that say what is wrong by themselves: credentials, a missing model, pace. */
const OTHER_CAUSES: readonly number[] = [401, 402, 403, 404, 408, 409, 429];

/**
 * Whether an error, in whatever a client or a proxy has wrapped it, says that the input does not fit; and the numbers, where
 * it has them. Errors about pace are never one, even where they speak of tokens: waiting heals them, and shrinking doesn't.
 */
export function readOverflow(error: unknown): Overflow | undefined {
  const { texts, statuses, counts } = gather(error);
  const isAbout = (patterns: readonly RegExp[]): boolean => texts.some((text) => matches(text, patterns));
  const has = (codes: readonly string[]): boolean => texts.some((text) => codes.includes(text));
  if (statuses.some((status) => OTHER_CAUSES.includes(status)) || isAbout(PACE)) return undefined;
  const numbers = { ...findCounts(texts), ...counts };
  if (has(OVERFLOW_CODES) || isAbout(EXACT)) return { kind: "overflow", by: "tokens", ...numbers };
  if (has(TOO_LARGE_CODES) || isAbout(TOO_LARGE)) return { kind: "overflow", by: "bytes" };
  const isRefused = statuses.every((status) => REFUSED_STATUSES.includes(status));
  if (isRefused && isAbout(LOOSE)) return { kind: "overflow", by: "tokens", ...numbers };
  return statuses.includes(413) ? { kind: "overflow", by: "bytes" } : undefined;
}

/** An input this close to the window, answered with nothing, was cut to fit. */
const FULL_WINDOW_SHARE = 0.99;

/**
 * Some servers take too much and say nothing. What gives them away: more input than the window holds, or an answer that was
 * cut at its first token because the input filled the window.
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

interface Gathered {
  readonly texts: string[];
  readonly statuses: number[];
  readonly counts: { inputTokens?: number; limitTokens?: number };
}

/** Where errors keep what they say. Nothing else is looked at: the request itself may speak of anything. */
const FIELDS = [
  ...["message", "error", "errors", "cause", "body", "responseBody", "data", "response", "details", "detail"],
  ...["metadata", "raw", "code", "type", "errorCode", "error_code", "name", "status", "statusCode", "reason"],
  ...["$metadata", "$response", "httpStatusCode", "param"],
];
const MAXIMUM_DEPTH = 8;

function gather(error: unknown): Gathered {
  const found: Gathered = { texts: [], statuses: [], counts: {} };
  const seen = new Set<unknown>();
  const walk = (value: unknown, depth: number): void => {
    if (typeof value === "string") {
      found.texts.push(value);
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

/** Proxies put the body they received into a text, often behind a status or a few words of their own. */
function parseInside(text: string): unknown {
  const start = text.indexOf("{");
  if (start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start, text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}

const NUMBER = "\\d[\\d,._]*";
const [EXACT, LOOSE, TOO_LARGE, PACE] = [OVERFLOW_TEXTS, LOOSE_OVERFLOW_TEXTS, TOO_LARGE_TEXTS, PACE_TEXTS].map(
  withNumbers,
) as [readonly RegExp[], readonly RegExp[], readonly RegExp[], readonly RegExp[]];
const INPUTS = withNumbers(INPUT_COUNTS);
const LIMITS = withNumbers(LIMIT_COUNTS);

/** The patterns, blind to case, with `N` spelled out. */
function withNumbers(patterns: readonly RegExp[]): readonly RegExp[] {
  return patterns.map(({ source }) => new RegExp(source.replace(/\bN\b/g, NUMBER), "i"));
}

function matches(text: string, patterns: readonly RegExp[]): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

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
  const [inputTokens, limitTokens] = [find(INPUTS), find(LIMITS)];
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(limitTokens === undefined ? {} : { limitTokens }),
  };
}
