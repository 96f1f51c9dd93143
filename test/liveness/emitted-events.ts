import type { SessionEvent } from "palimpsest";
import { METRICS } from "../../packages/palimpsest/src/telemetry/names.ts";
import {
  cutInput,
  failToCompact,
  failToReadSettings,
  forkSession,
  interruptAnswer,
  overrideParameter,
  proposeAndWrite,
  runHooks,
} from "./drives/emitting.ts";
import { attachBadImage, storeOnFullDisk } from "./drives/storing.ts";
import type { Drive } from "./experiment.ts";

/** Drives for what no setting brings about. */
export const TELLING: readonly Drive[] = [
  storeOnFullDisk,
  attachBadImage,
  runHooks,
  forkSession,
  failToCompact,
  failToReadSettings,
  interruptAnswer,
  overrideParameter,
  cutInput,
  proposeAndWrite,
];

/** Kinds of events, and the side that is to show them. A kind that is not here does not compile. */
const EVENT_KINDS: Readonly<Record<SessionEvent["kind"], "library" | "agent">> = {
  "turn-started": "library",
  "response-recorded": "library",
  "cache-broken": "library",
  "result-stored": "library",
  "storing-failed": "library",
  "media-refused": "library",
  "results-collected": "agent",
  "results-cleared": "library",
  recalled: "library",
  "compaction-due": "library",
  "compaction-announced": "library",
  "compaction-started": "library",
  "compaction-progressed": "library",
  "compaction-ended": "library",
  "notes-updated": "library",
  "notes-compaction-declined": "library",
  "memories-extracted": "library",
  "memories-waiting": "library",
  "memory-judged": "library",
  dreamed: "library",
  forked: "library",
  "breaker-tripped": "library",
  "files-restored": "library",
  "settings-rejected": "library",
  "flags-failed": "library",
  "flags-recovered": "library",
  "hooks-ran": "library",
  "agent-changed": "library",
  "mail-arrived": "library",
  "answer-interrupted": "library",
  "cache-warmed": "library",
  "input-truncated": "library",
  "model-guessed": "library",
  "parameter-overridden": "library",
};

/** Names in `wanted` that were not seen. */
export function missing(wanted: readonly string[], seen: ReadonlySet<string>): readonly string[] {
  return wanted.filter((name) => !seen.has(name));
}

export function eventKindsOf(side: "library" | "agent"): readonly string[] {
  return Object.entries(EVENT_KINDS).flatMap(([kind, shownBy]) => (shownBy === side ? [kind] : []));
}

/** Metrics of what only the agent does: it removes stored results that are old. */
export const METRICS_OF_AGENT: readonly string[] = [METRICS.collectedBytes, METRICS.collectingFailures];
export const METRICS_OF_LIBRARY: readonly string[] = Object.values(METRICS).filter(
  (name) => !METRICS_OF_AGENT.includes(name),
);
