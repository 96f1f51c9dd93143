import type { EnginePolicy } from "@palimpsest/replay";

/** A profile whose budgets are chosen, and how far its choice has to be above compaction at 167,000 tokens. */
export interface TunedProfile {
  readonly profile: "balanced" | "economy";
  /**
   * In percentage points of strict needs. Without a tenth of a point, the choice fell below the floor on repositories that had
   * no say in it.
   */
  readonly marginPoints: number;
  readonly candidates: readonly EnginePolicy[];
}

const QUOTED_TOKENS = [0, 2_000, 4_000, 6_000, 8_000];

/** What is tried: how many tokens of lines a compaction quotes. */
export const TUNED_PROFILES: readonly TunedProfile[] = [
  { profile: "balanced", marginPoints: 0.1, candidates: quoting("balanced", QUOTED_TOKENS) },
  { profile: "economy", marginPoints: -0.9, candidates: quoting("economy", QUOTED_TOKENS) },
];

export const CANDIDATES: readonly EnginePolicy[] = TUNED_PROFILES.flatMap(({ candidates }) => candidates);

function quoting(profile: TunedProfile["profile"], tokens: readonly number[]): readonly EnginePolicy[] {
  return tokens.map((quotedTokens) => ({
    kind: "engine",
    name: `${profile}-quotes-${quotedTokens}`,
    about: "tried as a default",
    settings: { profile, "compaction.quotedLinesTokens": quotedTokens },
  }));
}
