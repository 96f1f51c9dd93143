import type { Profile, Settings } from "./settings.ts";

/**
 * A named choice between cost and detail: values for other settings, stronger than defaults and weaker than every other source.
 */
export interface ProfileDefinition {
  readonly about: string;
  readonly values: Partial<Settings>;
}

/** The defaults are `balanced`, so that profile changes nothing. */
export const PROFILES: Readonly<Record<Profile, ProfileDefinition>> = {
  quality: {
    about:
      "Keeps as much detail as the window holds. Compacts when the window is nearly full; in windows above 300,000 tokens from " +
      "250,000 on, where it saves money. Clears old tool results only when the prompt cache has expired.",
    values: {
      "compaction.economicAboveWindowTokens": 300_000,
      "compaction.economicFromTokens": 250_000,
      "compaction.economicInTurnFromTokens": 250_000,
      "clearing.byTime": "on",
      "clearing.bySize": "off",
    },
  },
  balanced: {
    about: "Compacts from 100,000 tokens on where it saves money, and within a turn from 150,000 on.",
    values: {},
  },
  economy: {
    about:
      "Spends least. Compacts from 60,000 tokens on where it saves money, and within a turn from 130,000 on: " +
      "the model reads files again more often.",
    values: {
      "compaction.economicFromTokens": 60_000,
      "compaction.economicInTurnFromTokens": 130_000,
      "compaction.quotedLinesTokens": 6_000,
    },
  },
};

/** The settings that a profile sets, with their values. */
export function profileValues(profile: Profile): Partial<Settings> {
  return PROFILES[profile].values;
}
