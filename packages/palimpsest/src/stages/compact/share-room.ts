export interface RoomOptions {
  /** From this size on the next request would be compacted again. */
  readonly thresholdTokens: number;
  /** The size of the current view. */
  readonly sizeTokens: number;
  /** The part that compaction does not change: system prompt, tools, and the messages that stay. */
  readonly fixedTokens: number;
  /** A result must be smaller by at least this share. @default 0.2 */
  readonly leastShrink?: number;
  /** The maximum of each part in any window. */
  readonly atMost: Readonly<Record<RoomPart, number>>;
}

export type RoomPart =
  | "summary"
  | "userMessages"
  | "evidence"
  | "quotedLines"
  | "latestResults"
  | "files"
  | "skills"
  | "surroundings";

/** The shares of the parts in a small window. In a large window the maximum of each part is smaller than its share. */
const SHARES: Readonly<Record<RoomPart, number>> = {
  summary: 0.25,
  userMessages: 0.15,
  evidence: 0.15,
  quotedLines: 0.02,
  latestResults: 0.1,
  files: 0.18,
  skills: 0.05,
  surroundings: 0.1,
};

/** The part of the budget that is never used: estimates err, and the next answer becomes input. */
const KEPT_FREE = 0.15;

/** Returns the token budget of each part of a compacted view; undefined if nothing is left for any. */
export function shareRoom(options: RoomOptions): Readonly<Record<RoomPart, number>> | undefined {
  const { thresholdTokens, sizeTokens, fixedTokens, leastShrink = 0.2, atMost } = options;
  const allowedTokens = Math.min(thresholdTokens * (1 - KEPT_FREE), sizeTokens * (1 - leastShrink));
  const roomTokens = allowedTokens - fixedTokens;
  if (roomTokens <= 0) return undefined;
  const share = (part: RoomPart): number => Math.floor(Math.min(atMost[part], roomTokens * SHARES[part]));
  return Object.fromEntries((Object.keys(SHARES) as RoomPart[]).map((part) => [part, share(part)])) as Record<
    RoomPart,
    number
  >;
}
