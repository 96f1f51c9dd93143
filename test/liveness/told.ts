import type { SessionEvent } from "palimpsest";
import { METRICS, SPANS } from "../../packages/palimpsest/src/telemetry/names.ts";

/** Who shows it: sessions of the engine alone, those with a memory and agents, or the agent in the terminal. */
export type Side = "engine" | "above-engine" | "agent";

/** Kinds of events, and the side that is to show them. A kind that is not here does not compile. */
const EVENT_KINDS: Readonly<Record<SessionEvent["kind"], Side>> = {
  "turn-started": "engine",
  "response-recorded": "engine",
  "cache-broken": "engine",
  "result-stored": "engine",
  "storing-failed": "engine",
  "media-refused": "engine",
  "results-collected": "agent",
  "results-cleared": "engine",
  "rule-failed": "engine",
  "policy-changed": "engine",
  recalled: "engine",
  "compaction-due": "engine",
  "compaction-announced": "engine",
  "compaction-started": "engine",
  "compaction-progressed": "engine",
  "compaction-ended": "engine",
  "compaction-degraded": "engine",
  "summary-prepared": "engine",
  "prepared-summary-dropped": "engine",
  "notes-updated": "engine",
  "notes-compaction-declined": "engine",
  "memories-extracted": "above-engine",
  "memories-waiting": "above-engine",
  "memory-judged": "above-engine",
  dreamed: "above-engine",
  forked: "engine",
  "fork-missed-cache": "engine",
  "breaker-tripped": "engine",
  "files-restored": "engine",
  "settings-rejected": "engine",
  "flags-failed": "engine",
  "flags-recovered": "engine",
  "hooks-ran": "engine",
  "agent-changed": "above-engine",
  "mail-arrived": "above-engine",
  "answer-interrupted": "engine",
  "cache-warmed": "engine",
  "input-truncated": "engine",
  "model-guessed": "engine",
  "parameter-overridden": "engine",
};

/** Metrics that the engine alone does not count. */
const METRIC_SIDES: Readonly<Record<string, Side>> = {
  [METRICS.extractions]: "above-engine",
  [METRICS.memories]: "above-engine",
  [METRICS.memoriesWaiting]: "above-engine",
  [METRICS.memoryVerdicts]: "above-engine",
  [METRICS.dreams]: "above-engine",
  [METRICS.mail]: "above-engine",
  [METRICS.collectedBytes]: "agent",
  [METRICS.collectingFailures]: "agent",
};

/** Names of all that one side has to tell. */
export interface Told {
  readonly eventKinds: readonly string[];
  readonly metrics: readonly string[];
  readonly spans: readonly string[];
}

export function toldBy(side: Side): Told {
  const isOfSide = (sides: Readonly<Record<string, Side>>) => (name: string) => (sides[name] ?? "engine") === side;
  return {
    eventKinds: Object.keys(EVENT_KINDS).filter(isOfSide(EVENT_KINDS)),
    metrics: Object.values(METRICS).filter(isOfSide(METRIC_SIDES)),
    spans: side === "engine" ? Object.values(SPANS) : [],
  };
}
