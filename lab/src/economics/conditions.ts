import type { ReplayModel } from "@palimpsest/observe/replay";
import type { ModelPrices } from "palimpsest/inspect";

export type CacheTtl = "5m" | "1h";

/** What a session is replayed under: the window, what a cache read costs, how long a prompt is kept. */
export interface Condition {
  /** Like "200K/0.1/5m". */
  readonly name: string;
  readonly windowTokens: number;
  /** Of the input price. */
  readonly readShare: number;
  readonly cacheTtl: CacheTtl;
}

const WINDOWS = { "200K": 200_000, "1M": 1_000_000 } as const;
const READ_SHARES = [0.1, 0.05, 0.025];
export const CACHE_TTLS: readonly CacheTtl[] = ["5m", "1h"];

export const CONDITIONS: readonly Condition[] = Object.entries(WINDOWS).flatMap(([window, windowTokens]) =>
  READ_SHARES.flatMap((readShare) =>
    CACHE_TTLS.map((cacheTtl) => ({ name: `${window}/${readShare}/${cacheTtl}`, windowTokens, readShare, cacheTtl })),
  ),
);

export const LIFETIME_MS = { "5m": 300_000, "1h": 3_600_000 } as const;

/** Input at $5 and output at $25 per million tokens; writes at 1.25 and 2 of the input price. */
export function pricesOf(readShare: number): ModelPrices {
  return { input: 5, output: 25, cacheRead: 5 * readShare, cacheWrite5m: 6.25, cacheWrite1h: 10 };
}

/** Its thinking is not bound to the conversation, so that everything that the engine can do is open to it. */
export function modelOf({ windowTokens, readShare }: Pick<Condition, "windowTokens" | "readShare">): ReplayModel {
  return { id: "claude-opus-4-8", windowTokens, prices: pricesOf(readShare) };
}
