import { inputTokensOf } from "../log/input-tokens.ts";
import { asString } from "../schema/json-fields.ts";
import { gatherError } from "./gather-error.ts";
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

/** Statuses of a refused request. With any other status, only an unambiguous sentence counts. */
const REFUSED_STATUSES: readonly number[] = [400, 413, 422];
/** Statuses with a cause of their own: credentials, a missing model, the request rate. */
const OTHER_CAUSES: readonly number[] = [401, 402, 403, 404, 408, 409, 429];

/**
 * Returns the overflow that an error reports, at any depth of wrapping by clients and proxies, with its numbers if it
 * has them. Rate limit errors never count, even if they mention tokens: waiting solves them, a smaller request does
 * not.
 */
export function readOverflow(error: unknown): Overflow | undefined {
  const { texts, statuses, counts } = gatherError(error);
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

/** An input this close to the window with an empty answer was cut to fit. */
const FULL_WINDOW_SHARE = 0.99;

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

const NUMBER = "\\d[\\d,._]*";
const [EXACT, LOOSE, TOO_LARGE, PACE] = [OVERFLOW_TEXTS, LOOSE_OVERFLOW_TEXTS, TOO_LARGE_TEXTS, PACE_TEXTS].map(
  withNumbers,
) as [readonly RegExp[], readonly RegExp[], readonly RegExp[], readonly RegExp[]];
const INPUTS = withNumbers(INPUT_COUNTS);
const LIMITS = withNumbers(LIMIT_COUNTS);

/** Returns the patterns, case-insensitive, with `N` replaced by a number pattern. */
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
