import type { EnginePolicy } from "@palimpsest/replay";

const BASE = {
  "notes.enabled": "off",
  "clearing.bySize": "off",
  "compaction.economicFromTokens": 60_000,
  "compaction.horizonRequests": 60,
} as const;

interface Candidate {
  readonly inTurnFromTokens: number;
  readonly keepNewest: number;
}

/** What is tried as a default: when compaction may interrupt work, and how much clearing leaves. */
export const CANDIDATES: readonly EnginePolicy[] = [
  candidate("in-turn-115K-keep-8", { inTurnFromTokens: 115_000, keepNewest: 8 }),
  candidate("in-turn-115K-keep-16", { inTurnFromTokens: 115_000, keepNewest: 16 }),
  candidate("in-turn-130K-keep-3", { inTurnFromTokens: 130_000, keepNewest: 3 }),
  candidate("in-turn-130K-keep-8", { inTurnFromTokens: 130_000, keepNewest: 8 }),
  candidate("in-turn-130K-keep-12", { inTurnFromTokens: 130_000, keepNewest: 12 }),
  candidate("in-turn-160K-keep-3", { inTurnFromTokens: 160_000, keepNewest: 3 }),
  candidate("between-turns-keep-3", { inTurnFromTokens: 1_000_000_000, keepNewest: 3 }),
];

function candidate(name: string, { inTurnFromTokens, keepNewest }: Candidate): EnginePolicy {
  return {
    kind: "engine",
    name,
    about: "tried as a default",
    settings: {
      ...BASE,
      "compaction.economicInTurnFromTokens": inTurnFromTokens,
      "clearing.keepNewest": keepNewest,
    },
  };
}
