import type { UsagePayload } from "../log/payload.ts";
import { inputTokensOf } from "../log/usage.ts";
import { minimumTokens } from "../size/budget.ts";
import { errorShare, estimateTokens } from "../size/calibration.ts";
import { addFeatures, type Features, NO_FEATURES } from "../size/features.ts";
import type { View } from "./view.ts";

/** The estimated size of a request, and the size that the server reports. */
export interface Truncation {
  readonly sentTokens: number;
  readonly readTokens: number;
}

/** Smaller differences are not worth an alarm. */
const LEAST_MISSING_TOKENS = 500;
/** The next content may be of another kind, however good the estimates have been so far. */
const LEAST_ERROR_SHARE = 0.15;
/** Weaker evidence is enough where the input did not grow although something was added. */
const STUCK_SHARE = 0.95;
const LEAST_ADDED_TOKENS = 50;

type Reported = Pick<
  UsagePayload,
  "answers" | "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "appliedEdits" | "folded" | "deletedTokens"
>;

/**
 * Finds out whether a server silently cut an input that was too long: then its report is far below the size that was sent. Only
 * reports of the whole input are checked. Reports that name a cache or edits, and servers that count only new input, are left
 * out.
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
  // The usual case costs nothing: the view is walked only if the report is lower than expected.
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

/** The input is no larger than the input of the request before, although something was added. */
function isStuck({ anchor, awaited }: View, readTokens: number): boolean {
  if (anchor?.inputTokens === undefined || anchor.prefix === "changed") return false;
  return readTokens <= anchor.inputTokens && minimumTokens(awaited!.since) >= LEAST_ADDED_TOKENS;
}

/** Servers that keep a processed prefix may report only the rest. */
function countsOnlyNew(readTokens: number, addedTokens: number, knownTokens: number): boolean {
  return readTokens < knownTokens && readTokens >= 0.4 * addedTokens && readTokens <= 1.6 * addedTokens + 100;
}

/** Only items that the request consisted of: newer ones are not part of it. */
function featuresSent({ configuration, items }: View, request: number): Features {
  return items.reduce(
    (sum, item) => (item.kind === "message" && item.to < request ? addFeatures(sum, item.features) : sum),
    configuration?.features ?? NO_FEATURES,
  );
}
