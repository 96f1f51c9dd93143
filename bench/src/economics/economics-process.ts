import { ENGINE_POLICIES, RULE_POLICIES, toRecording } from "@palimpsest/replay";
import { readTranscript } from "@palimpsest/transcripts";
import { CANDIDATES } from "./candidates.ts";
import { CONDITIONS } from "./conditions.ts";
import { loadPeerRules } from "./peer-rules.ts";
import { sessionResults } from "./session-results.ts";

/** What a process is asked to do. */
export interface EconomicsPlan {
  readonly path: string;
  readonly conditions: readonly string[];
  /** Of the engine: those that replay knows, and candidates for the defaults. */
  readonly policies: readonly string[];
  /** Of the engine, only with the first price and lifetime of each window. */
  readonly parts: readonly string[];
  /** Of other agents. */
  readonly rules: readonly string[];
  /** Whether libraries are called too: they are large, and installed when they are needed. */
  readonly libraries: "called" | "left-out";
  readonly limit: "searched" | "left-out";
}

// A process for each session: two of them run at a time.
const plan = JSON.parse(process.argv[2]!) as EconomicsPlan;
const recording = toRecording(await Array.fromAsync(readTranscript(plan.path)));
if (recording === undefined) {
  console.log(JSON.stringify({ rounds: 0, results: {} }));
} else {
  const results = await sessionResults(recording, {
    conditions: CONDITIONS.filter(({ name }) => plan.conditions.includes(name)),
    policies: [...ENGINE_POLICIES, ...CANDIDATES].filter(({ name }) => plan.policies.includes(name)),
    parts: ENGINE_POLICIES.filter(({ name }) => plan.parts.includes(name)),
    rules: [
      ...RULE_POLICIES.filter(({ name }) => plan.rules.includes(name)).map(({ rule }) => rule),
      ...(plan.libraries === "called" ? await loadPeerRules() : []),
    ],
    limit: plan.limit,
  });
  console.log(JSON.stringify({ rounds: recording.rounds.length, results }));
}
