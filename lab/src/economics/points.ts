// Compaction at natural points of the work: rules of this experiment, which know the recording. A rule of a session would need marks of its host.

import type { Recording } from "@palimpsest/observe/replay";
import { anyOf, type CompactRule, type Policy } from "palimpsest/policy";

/** `balanced`, and a compaction at the points too, if it saves money. */
export const POINTS: readonly string[] = ["at-ends-of-turns", "at-commits", "at-finished-todos"];

/** A compaction of less is not worth a summary. */
const FROM_TOKENS = 60_000;

type When = CompactRule["when"];

/** The policy with the rule of this name. */
export function policyAtPoints(name: string, policy: Policy, recording: Recording): Policy {
  return { ...policy, compact: { ...policy.compact, when: anyOf(policy.compact.when, ruleOf(name, recording)) } };
}

function ruleOf(name: string, recording: Recording): When {
  if (name === "at-ends-of-turns") return ifIt(({ turn }) => turn.status === "starting", "the turn has ended");
  const [points, because] =
    name === "at-commits"
      ? ([commitsOf(recording), "the work was committed"] as const)
      : ([finishedTodosOf(recording), "a todo is done"] as const);
  const sentAtMs = recording.rounds.map((round) => round.sentAtMs);
  // The clock stands at the time of the request, or later if the session waited for a summary.
  return ifIt(({ nowMs }) => points.has(sentAtMs.findLastIndex((ms) => ms <= nowMs)), because);
}

function ifIt(isPoint: (state: Parameters<When>[0]) => boolean, because: string): When {
  return (state) => (state.size.tokens < FROM_TOKENS || !isPoint(state) ? undefined : { level: "if-it-pays", because });
}

/** The rounds whose request has the result of a commit. */
function commitsOf(recording: Recording): ReadonlySet<number> {
  return roundsAfter(recording, ({ input }) => JSON.stringify(input).includes("git commit"));
}

const TODO_TOOLS = new Set(["TodoWrite", "update_plan", "todowrite", "todo_write"]);

/** The rounds whose request has the result of a call that finished a todo. */
function finishedTodosOf(recording: Recording): ReadonlySet<number> {
  let finished = 0;
  return roundsAfter(recording, ({ name, input }) => {
    if (!TODO_TOOLS.has(name)) return false;
    const before = finished;
    finished = JSON.stringify(input).split('"completed"').length - 1;
    return finished > before;
  });
}

interface RecordedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The rounds after responses with such a call. Asked about each call once, in order. */
function roundsAfter({ rounds }: Recording, isPoint: (call: RecordedCall) => boolean): ReadonlySet<number> {
  const points = new Set<number>();
  for (const [index, { response }] of rounds.entries())
    for (const block of response.blocks) if (block.kind === "tool_call" && isPoint(block)) points.add(index + 1);
  return points;
}
