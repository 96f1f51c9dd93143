import type { Experiment, Figures } from "../experiment.ts";
import { type RecordedFile, readTraces, tracesFolder } from "../traces.ts";
import { replay } from "./replay.ts";
import { rebuildRequests } from "./requests.ts";
import { fidelityOf, isClose, percent, type Scored, scoreSession } from "./score.ts";

const EVERY_NTH = { full: 1, quick: 8 };

/** How well the simulated prompt cache predicts what recorded sessions read and wrote. */
export const cacheFidelityExperiment: Experiment = {
  name: "cache-fidelity",
  about: "the simulated prompt cache against the usage of recorded Claude Code sessions (PALIMPSEST_TRACES)",
  needs: "traces",
  async run({ size }) {
    const scored: Scored[] = [];
    const alone: Scored[] = [];
    let sessions = 0;
    for await (const file of readTraces(EVERY_NTH[size])) {
      const rows = scoreFile(file);
      if (rows.together.length === 0) continue;
      sessions++;
      scored.push(...rows.together);
      alone.push(...rows.alone);
    }
    if (scored.length === 0)
      throw new Error(`No Claude Code session with usage below ${tracesFolder()}; set PALIMPSEST_TRACES.`);
    return { ...toFigures(scored, sessions), without_kept_warm: fidelityOf(alone, "simulated") };
  },
};

interface FileScores {
  readonly together: readonly Scored[];
  /** Without other sessions that keep the shared prefix warm: shows how much of the result rests on them. */
  readonly alone: readonly Scored[];
}

function scoreFile({ source, entries }: RecordedFile): FileScores {
  const session = entries.find((entry) => entry.kind === "session");
  const requests = session?.agent === "claude-code" ? rebuildRequests(entries) : [];
  if (requests.length === 0) return { together: [], alone: [] };
  const version = session?.version ?? "";
  // Read off the recorded sessions: until 2.1.100 the client marked the last two messages; from 2.1.40 on a part of its
  // system prompt is the same for everybody, and is found warm even after a night.
  const messageMarks = isAtLeast(version, [2, 1, 100]) ? 1 : 2;
  const shares = isAtLeast(version, [2, 1, 40]) && requests[0]!.usage.cacheReadTokens > 0;
  const score = (sharedPrefix: "kept-warm" | "on-its-own"): Scored[] =>
    scoreSession(source, requests, replay(requests, { messageMarks, sharedPrefix }), messageMarks);
  const alone = score("on-its-own");
  return { together: shares ? score("kept-warm") : alone, alone };
}

function toFigures(scored: readonly Scored[], sessions: number): Figures {
  const misses = scored.filter(({ miss }) => miss !== "none");
  const onlySimulator = scored.filter((one) => isClose(one, "simulated") && !isClose(one, "baseline"));
  const onlyBaseline = scored.filter((one) => isClose(one, "baseline") && !isClose(one, "simulated"));
  return {
    sessions,
    requests: scored.length,
    ...fidelityOf(scored, "simulated"),
    unexplained_misses_pct: percent(misses.filter(({ miss }) => miss === "unexplained").length, scored.length),
    baseline: fidelityOf(scored, "baseline"),
    misses: countCauses(misses),
    only_simulator_within_5pct: countCauses(onlySimulator),
    only_baseline_within_5pct: countCauses(onlyBaseline),
    by_source: Object.fromEntries(
      [...Map.groupBy(scored, ({ source }) => source)].map(([source, rows]) => [
        source,
        {
          requests: rows.length,
          requests_within_5pct: fidelityOf(rows, "simulated").requests_within_5pct,
          baseline_requests_within_5pct: fidelityOf(rows, "baseline").requests_within_5pct,
        },
      ]),
    ),
  };
}

/** How often each cause stands first; a pause explains a miss before anything else does. */
function countCauses(scored: readonly Scored[]): Record<string, number> {
  const counts: Record<string, number> = { all: scored.length };
  for (const { causes } of scored) {
    const cause = causes.includes("pause") ? "pause" : (causes[0] ?? "none known");
    counts[cause] = (counts[cause] ?? 0) + 1;
  }
  return counts;
}

function isAtLeast(version: string, minimum: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, part] of minimum.entries()) {
    const own = parts[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}
