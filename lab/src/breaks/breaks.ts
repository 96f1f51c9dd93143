import { existsSync } from "node:fs";
import type { Experiment, Figures } from "../experiment.ts";
import { readTraces, tracesFolder } from "../traces.ts";
import { sendCleanRequests } from "./clean-requests.ts";
import { KINDS } from "./kinds.ts";
import { findRecordedBreaks, type RecordedCause } from "./recorded-breaks.ts";
import { type Outcome, seedBreak } from "./score.ts";

const SIZES = {
  full: { runsPerKind: 20, cleanRequests: 2_000, everyNth: 1 },
  quick: { runsPerKind: 2, cleanRequests: 1_000, everyNth: 50 },
} as const;

/** Whether breaks of the prompt cache are seen and their causes named: seeded in simulated sessions, and in recorded ones. */
export const breaksExperiment: Experiment = {
  name: "breaks",
  about: "cache breaks seeded in simulated sessions and found in recorded ones: are their causes named",
  async run({ size }) {
    const { runsPerKind, cleanRequests, everyNth } = SIZES[size];
    const outcomes: Outcome[] = [];
    for (const kind of KINDS) {
      for (let seed = 0; seed < runsPerKind; seed++) outcomes.push(await seedBreak(kind, seed));
    }
    const clean = await sendCleanRequests(cleanRequests);
    const right = outcomes.filter(({ verdict }) => verdict === "right");
    const agreeing = outcomes.filter(({ diagnosis }) => diagnosis === "agrees");
    return {
      kinds: KINDS.length,
      seeded: outcomes.length,
      named_right_pct: percent(right.length, outcomes.length),
      not_seen: outcomes.filter(({ verdict }) => verdict === "not-seen").length,
      wrong: countBy(
        outcomes.filter(({ verdict }) => verdict !== "right").map(({ kind, named }) => `${kind}: ${named}`),
      ),
      clean_requests: clean.requests,
      false_alarms: clean.alarms,
      diagnostics_agree_pct: percent(agreeing.length, outcomes.length),
      clean_diagnosed: clean.diagnosed,
      diagnostics_differ: countBy(outcomes.filter(({ diagnosis }) => diagnosis === "differs").map(({ kind }) => kind)),
      ...(existsSync(tracesFolder()) ? await findRecorded(everyNth) : {}),
    };
  },
};

async function findRecorded(everyNth: number): Promise<Figures> {
  const found: (readonly RecordedCause[])[] = [];
  let requests = 0;
  let sessions = 0;
  for await (const file of readTraces(everyNth)) {
    const recorded = findRecordedBreaks(file);
    requests += recorded.requests;
    if (recorded.requests > 0) sessions++;
    found.push(...recorded.breaks);
  }
  const explained = found.filter((causes) => !causes.includes("server"));
  return {
    recorded_sessions: sessions,
    recorded_requests: requests,
    recorded_breaks: found.length,
    explained_pct: percent(explained.length, found.length),
    recorded_causes: countBy(found.map((causes) => causes.join(" + "))),
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Number(((100 * part) / whole).toFixed(2));
}
