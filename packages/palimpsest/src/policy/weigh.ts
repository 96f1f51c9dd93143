// The numbers of the presets. Rules and parts stand in the presets; these tables have what differs between the profiles.

import { aValueOf, type Needed } from "../schema/check-options.ts";
import { choice } from "../schema/schema.ts";
import type { WeighNumbers } from "./policy.ts";
import type { SavingSizes } from "./rules/when.ts";

export type Profile = "quality" | "balanced" | "economy";

/** For checks of the option `profile`, which takes a name or numbers. */
export const PROFILE: Needed = aValueOf(choice(["quality", "balanced", "economy"]));

/**
 * One horizon for all proposals. At any point of a recorded session, about 100 requests remain on average, and the end of a session
 * cannot be predicted.
 */
export const WEIGH: WeighNumbers = {
  horizonRequests: 60,
  marginShare: 0.1,
  tieShare: 0.05,
  regrowShare: 0.2,
  freeShare: 0.15,
};

export interface CodingNumbers {
  /** Compact from this size on if it saves money, between turns. */
  readonly fromTokens: number;
  /** The same while the model works with tools. */
  readonly inTurnFromTokens: number;
  /** Both sizes if no pings keep the prompt in the cache. @default the same */
  readonly unlessKeptWarm?: SavingSizes | undefined;
  /** Compact to save money only in larger windows. */
  readonly aboveWindowTokens: number;
  /** The newest results that no rule clears. */
  readonly keepNewest: number;
  /** Files that are shown again after a compaction, all together. 0: none. */
  readonly filesTokens: number;
  /** Lines with names and numbers in use that are quoted after a compaction. */
  readonly quotedLinesTokens: number;
}

/** Chosen by replaying recorded sessions of coding agents; docs/economics.md has the figures. */
export const CODING: Readonly<Record<Profile, CodingNumbers>> = {
  // Compacts a window of up to 300,000 tokens only when it is nearly full.
  quality: {
    fromTokens: 250_000,
    inTurnFromTokens: 250_000,
    aboveWindowTokens: 300_000,
    keepNewest: 8,
    filesTokens: 20_000,
    quotedLinesTokens: 4_000,
  },
  // Files that the model needs again cost less to read than to show after every compaction; quoted lines cost little. Later
  // compactions lose less, but pay only where pauses do not write the prompt again.
  balanced: {
    fromTokens: 130_000,
    inTurnFromTokens: 167_000,
    unlessKeptWarm: { fromTokens: 100_000, inTurnFromTokens: 150_000 },
    aboveWindowTokens: 0,
    keepNewest: 4,
    filesTokens: 0,
    quotedLinesTokens: 12_000,
  },
  economy: {
    fromTokens: 100_000,
    inTurnFromTokens: 150_000,
    aboveWindowTokens: 0,
    keepNewest: 4,
    filesTokens: 0,
    quotedLinesTokens: 12_000,
  },
};

export interface SupportNumbers {
  /** Compact from this size on if it saves money. Twice as late inside a turn, and half as late at the end of a ticket. */
  readonly fromTokens: number;
  readonly summaryTokens: number;
  /** The user's messages that are kept word for word. */
  readonly userMessagesTokens: number;
  readonly keepNewest: number;
}

/** Starting points for a support desk. These numbers were not measured. */
export const SUPPORT: Readonly<Record<Profile, SupportNumbers>> = {
  quality: { fromTokens: 100_000, summaryTokens: 6_000, userMessagesTokens: 12_000, keepNewest: 6 },
  balanced: { fromTokens: 40_000, summaryTokens: 3_000, userMessagesTokens: 6_000, keepNewest: 3 },
  economy: { fromTokens: 20_000, summaryTokens: 1_500, userMessagesTokens: 3_000, keepNewest: 2 },
};

/** Conversations with customers are shorter than coding sessions, so an action has fewer requests to earn back its cost. */
export const SUPPORT_HORIZON_REQUESTS = 20;
