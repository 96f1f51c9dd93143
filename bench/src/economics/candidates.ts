import type { EnginePolicy } from "palimpsest-agent/replay";

const BASE = { "notes.enabled": "off", "clearing.bySize": "off", "compaction.economicFromTokens": 60_000 };

interface Candidate {
  readonly inTurnFromTokens: number;
  readonly horizonRequests: number;
  readonly keepNewest: number;
}

/** What is tried as a default: when compaction may interrupt work, when it must have paid, how much clearing leaves. */
export const CANDIDATES: readonly EnginePolicy[] = [
  candidate("in-turn-100K-keep-8", { inTurnFromTokens: 100_000, horizonRequests: 60, keepNewest: 8 }),
  candidate("in-turn-115K", { inTurnFromTokens: 115_000, horizonRequests: 60, keepNewest: 3 }),
  candidate("in-turn-115K-keep-8", { inTurnFromTokens: 115_000, horizonRequests: 60, keepNewest: 8 }),
  candidate("in-turn-130K", { inTurnFromTokens: 130_000, horizonRequests: 60, keepNewest: 3 }),
  candidate("in-turn-130K-keep-8", { inTurnFromTokens: 130_000, horizonRequests: 60, keepNewest: 8 }),
  candidate("in-turn-130K-horizon-30", { inTurnFromTokens: 130_000, horizonRequests: 30, keepNewest: 3 }),
  candidate("in-turn-130K-horizon-100", { inTurnFromTokens: 130_000, horizonRequests: 100, keepNewest: 3 }),
  candidate("in-turn-160K", { inTurnFromTokens: 160_000, horizonRequests: 60, keepNewest: 3 }),
  candidate("between-turns", { inTurnFromTokens: 10_000_000, horizonRequests: 60, keepNewest: 3 }),
];

function candidate(name: string, { inTurnFromTokens, horizonRequests, keepNewest }: Candidate): EnginePolicy {
  return {
    ...{ kind: "engine", name, about: "tried as a default" },
    settings: {
      ...BASE,
      "compaction.economicInTurnFromTokens": inTurnFromTokens,
      "compaction.horizonRequests": horizonRequests,
      "clearing.keepNewest": keepNewest,
    },
  };
}
