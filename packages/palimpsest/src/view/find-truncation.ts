import { inputTokensOf } from "../log/input-tokens.ts";
import type { UsagePayload } from "../log/payload.ts";
import { errorShare, estimateTokens } from "../tokens/calibration.ts";
import { addFeatures, type Features, NO_FEATURES } from "../tokens/features.ts";
import { minimumTokens } from "../tokens/minimum-tokens.ts";
import type { View } from "./view.ts";

/** What a server was sent, by estimate, and what it says that it read. */
export interface Truncation {
  readonly sentTokens: number;
  readonly readTokens: number;
}

/** Smaller differences are not worth an alarm. */
const LEAST_MISSING_TOKENS = 500;
/** However well the estimates have been so far, the next content may be of another kind. */
const LEAST_ERROR_SHARE = 0.15;
/** An input that did not grow, though something was added, needs little else to be suspicious. */
const STUCK_SHARE = 0.95;
const LEAST_ADDED_TOKENS = 50;

type Reported = Pick<
  UsagePayload,
  "answers" | "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "appliedEdits" | "folded" | "deletedTokens"
>;

/**
 * Some servers cut an input that is too long and say nothing. What gives them away is a report far below what was sent. Only a
 * report of the whole input is looked at: not one that names a cache or edits, nor one of a server that counts only what it
 * had not read before.
 */
export function findTruncation(view: View, reported: Reported): Truncation | undefined {
  const { awaited, anchor, calibration } = view;
  const readTokens = inputTokensOf(reported);
  const { answers, cacheReadTokens, cacheWriteTokens, appliedEdits, folded, deletedTokens = 0 } = reported;
  const isWhole = cacheReadTokens + cacheWriteTokens + deletedTokens === 0 && appliedEdits === undefined;
  if (awaited === undefined || answers !== awaited.request || readTokens === 0) return undefined;
  if (!isWhole || folded !== undefined || awaited.edits !== undefined) return undefined;
  const addedTokens = estimateTokens(calibration, awaited.since);
  const expectedTokens = (anchor?.tokens ?? 0) + addedTokens;
  // The usual case costs nothing: the view is only gone through where the report is lower than it should be.
  if (readTokens >= (1 - LEAST_ERROR_SHARE) * expectedTokens && !isStuck(view, readTokens)) return undefined;
  if (anchor !== undefined && countsOnlyNew(readTokens, addedTokens, anchor.tokens)) return undefined;
  const features = featuresSent(view, awaited.request);
  const hasThinking = features.signatureCharacters > 0;
  const share = 1 - Math.max(LEAST_ERROR_SHARE, errorShare(calibration));
  const believed = !hasThinking && isStuck(view, readTokens) ? STUCK_SHARE : share;
  const least = believed * minimumTokens(features);
  if (readTokens >= least || least - readTokens < LEAST_MISSING_TOKENS * believed) return undefined;
  return { sentTokens: Math.max(expectedTokens, estimateTokens(calibration, features)), readTokens };
}

/** The input is no larger than that of the request before, though something was added to it. */
function isStuck({ anchor, awaited }: View, readTokens: number): boolean {
  if (anchor?.inputTokens === undefined || anchor.prefix === "changed") return false;
  return readTokens <= anchor.inputTokens && minimumTokens(awaited!.since) >= LEAST_ADDED_TOKENS;
}

/** Servers that keep what they have read may report only the rest. */
function countsOnlyNew(readTokens: number, addedTokens: number, knownTokens: number): boolean {
  return readTokens < knownTokens && readTokens >= 0.4 * addedTokens && readTokens <= 1.6 * addedTokens + 100;
}

/** Of all that the request consisted of: what came in since is not part of it. */
function featuresSent({ configuration, items }: View, request: number): Features {
  return items.reduce(
    (sum, item) => (item.kind === "message" && item.to < request ? addFeatures(sum, item.features) : sum),
    configuration?.features ?? NO_FEATURES,
  );
}
