import { readTranscript } from "palimpsest/import";
import { toRecording } from "palimpsest-agent/replay";
import { CONDITIONS } from "./conditions.ts";
import { loadPeerRules } from "./peer-rules.ts";
import { ALL_POLICIES, sessionResults } from "./session-results.ts";

/** What a process is asked to do. */
export interface EconomicsPlan {
  readonly path: string;
  readonly conditions: readonly string[];
  readonly policies: readonly string[];
  /** Whether libraries are called too: they are large, and installed when they are needed. */
  readonly libraries: "called" | "left-out";
}

// A process for each session: two of them run at a time.
const plan = JSON.parse(process.argv[2]!) as EconomicsPlan;
const recording = toRecording(await Array.fromAsync(readTranscript(plan.path)));
if (recording === undefined) {
  console.log(JSON.stringify({ rounds: 0, results: {} }));
} else {
  const results = await sessionResults(recording, {
    conditions: CONDITIONS.filter(({ name }) => plan.conditions.includes(name)),
    policies: ALL_POLICIES.filter(({ name }) => plan.policies.includes(name)),
    rules: plan.libraries === "called" ? await loadPeerRules() : [],
  });
  console.log(JSON.stringify({ rounds: recording.rounds.length, results }));
}
