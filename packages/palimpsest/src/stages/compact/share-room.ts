export interface RoomOptions {
  /** From here on the next request would be compacted again. */
  readonly thresholdTokens: number;
  /** The view as it is. */
  readonly sizeTokens: number;
  /** What no compaction changes: system prompt, tools, and the messages that stay. */
  readonly fixedTokens: number;
  /** A result that is not smaller by this share is not worth having. @default 0.2 */
  readonly leastShrink?: number;
  /** The most that each part may have, however large the window is. */
  readonly atMost: Readonly<Record<RoomPart, number>>;
}

export type RoomPart = "summary" | "userMessages" | "evidence" | "latestResults" | "files" | "skills" | "surroundings";

/**
 * How the room is shared where there is less of it than all could use. In large windows the limits of each part are smaller
 * than its share.
 */
const SHARES: Readonly<Record<RoomPart, number>> = {
  summary: 0.25,
  userMessages: 0.15,
  evidence: 0.15,
  latestResults: 0.1,
  files: 0.2,
  skills: 0.05,
  surroundings: 0.1,
};

/** What of the room is never given away: estimates err, and the answer to come is input of the next request. */
const KEPT_FREE = 0.15;

/** How many tokens each part of a compacted view may have; undefined if what stays leaves no room for any. */
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
