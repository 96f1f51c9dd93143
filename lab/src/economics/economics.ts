// What recorded sessions cost under our policies and those of others, and how many needs each loses. README.md explains the measure.

import { writeFileSync } from "node:fs";
import type { Experiment, ExperimentOptions, Figures } from "../experiment.ts";
import { installPeers } from "../load-peers.ts";
import { outputSums } from "./charge-run.ts";
import type { SessionFacts } from "./facts.ts";
import { difference, policyFigures, profileFigures, sessionEnds } from "./figures.ts";
import { conditionOf, type Job, MODEL, modelOf, type WindowName } from "./jobs.ts";
import { readFacts, readRun } from "./kept-results.ts";
import { needsValid } from "./needs-valid.ts";
import { POINTS } from "./points.ts";
import { ABLATION, FRONTIER, PROFILES, unprepared, whenRequired } from "./policies.ts";
import { replayAll } from "./replay-all.ts";
import { AGENT_RULES, BASELINE, LIBRARY_RULES, TRIED } from "./rules.ts";
import { priceRun, type Score, scoreRun } from "./score-session.ts";
import { type PlannedSession, planSessions, recordedSessions, sampled } from "./sessions.ts";

/** Mechanisms, neighbors and the large window are compared with each other on every sixth session. */
const FEW = 6;
const QUICK_SESSIONS = 6;
/** The smallest sessions are never compacted, and the largest take minutes. */
const QUICK_RANGE = { from: 60, to: 120 };

export const economicsExperiment: Experiment = {
  name: "economics",
  about:
    "recorded sessions under our policies and others: cost, needs lost (PALIMPSEST_TRACES); resumable; --sample, --only, --rows",
  needs: "traces",
  async run(options) {
    const all = recordedSessions();
    const isQuick = options.size === "quick";
    const names = isQuick
      ? sampled(all.slice(QUICK_RANGE.from, QUICK_RANGE.to), QUICK_SESSIONS)
      : sampled(all, options.sample ?? all.length);
    return measure(names, options);
  },
};

/** What is replayed: the names of all policies, and on which sessions. */
interface Cell {
  readonly policy: string;
  readonly kind: "engine" | "rule" | "library";
  readonly window: WindowName;
  readonly group: "profiles" | "others" | "frontier" | "ablation" | "tried" | "one_million" | "points";
  readonly sessions: "all" | "few";
}

function cellsOf({ size, only }: ExperimentOptions): readonly Cell[] {
  const cells = (
    group: Cell["group"],
    kind: Cell["kind"],
    policies: readonly string[],
    more: Partial<Cell> = {},
  ): readonly Cell[] => policies.map((policy) => ({ policy, kind, window: "200K", group, sessions: "all", ...more }));
  const main = [
    ...cells("others", "rule", size === "quick" ? [BASELINE, "plain-130k"] : AGENT_RULES),
    ...cells(
      "profiles",
      "engine",
      (size === "quick" ? (["balanced"] as const) : PROFILES).flatMap((profile) => [
        ...[profile, unprepared(profile), whenRequired(profile)],
      ]),
    ),
  ];
  if (size === "quick") return main;
  // Only if they are asked for: no preset has these rules.
  if (only === "points")
    return [...cells("others", "rule", [BASELINE]), ...cells("points", "engine", ["balanced", ...POINTS])];
  const large = { window: "1M" } as const;
  const few = { sessions: "few" } as const;
  const more = [
    ...main,
    ...cells("others", "library", LIBRARY_RULES),
    ...cells(
      "tried",
      "rule",
      TRIED.map(({ name }) => name),
    ),
    ...cells("one_million", "rule", [BASELINE, "plain-130k", "plain-167k", "codex", "opencode"], {
      ...large,
      ...few,
    }),
    ...cells("one_million", "engine", PROFILES, { ...large, ...few }),
    ...cells("frontier", "engine", [...PROFILES, ...Object.keys(FRONTIER)], few),
    ...cells("frontier", "rule", AGENT_RULES, few),
    ...cells("frontier", "library", LIBRARY_RULES, few),
    ...cells("ablation", "engine", ["balanced", ...Object.keys(ABLATION)], few),
  ];
  return only === undefined
    ? more
    : more.filter(({ policy, group }) => `${group} ${policy}`.includes(only) || policy === BASELINE);
}

/** One session with its scores, by cell. */
interface SessionReport extends PlannedSession {
  readonly facts: SessionFacts;
  readonly scores: ReadonlyMap<Cell, Score>;
}

async function measure(names: readonly string[], options: ExperimentOptions): Promise<Figures> {
  const cells = cellsOf(options);
  if (cells.some(({ kind }) => kind === "library")) installPeers();
  const few = new Set(sampled(names, Math.ceil(names.length / FEW)));
  const cellsFor = (name: string): readonly Cell[] =>
    cells.filter(({ sessions }) => sessions === "all" || few.has(name));
  const planned = planSessions(names, (name) => [{ kind: "facts" }, ...cellsFor(name).map(jobOf)]);
  const failed = await replayAll(planned);
  const replayed = planned.filter(({ name }) => !failed.some((other) => other.name === name));
  const reports = readReports(replayed, cellsFor);
  if (options.rows !== undefined) writeFileSync(options.rows, rowsOf(reports));
  const rounds = reports.map(({ facts }) => facts.rounds);
  const group = (which: Cell["group"]) =>
    groupFigures(
      reports,
      cells.filter((cell) => cell.group === which),
    );
  const balanced = cells.find(({ policy, group: of }) => of === "profiles" && policy === "balanced");
  return {
    sessions: reports.length,
    failed: failed.length,
    failed_sessions: failed,
    requests: rounds.reduce((sum, count) => sum + count, 0),
    user_messages: userMessagesOf(reports),
    needs: sumOf(reports, balanced, "needs"),
    model: MODEL,
    condition: conditionOf("200K"),
    thinking_blocks_sent: sumOf(reports, balanced, "thinkingSent"),
    profiles: allProfileFigures(reports, cells),
    others: group("others"),
    frontier: frontierFigures(reports, cells),
    ablation: ablationFigures(reports, cells),
    points: group("points"),
    tried: group("tried"),
    session_ends_within_12_requests_pct: sessionEnds(rounds),
    one_million: group("one_million"),
    needs_valid: needsValid(reports.map(({ facts }) => facts.needTallies)),
  };
}

function jobOf({ kind, policy: name, window }: Cell): Job {
  return { kind, name, window };
}

function readReports(
  planned: readonly PlannedSession[],
  cellsFor: (name: string) => readonly Cell[],
): readonly SessionReport[] {
  const fileOf = ({ jobs }: PlannedSession, job: Job): string =>
    jobs.find((one) => JSON.stringify(one.job) === JSON.stringify(job))!.file;
  const baselineOf = (session: PlannedSession, window: WindowName) =>
    readRun(fileOf(session, { kind: "rule", name: BASELINE, window }));
  const facts = planned.map((session) => readFacts(fileOf(session, { kind: "facts" })));
  // Where a final count of the output is missing, the output is that of the replay, times the ratio of all that are known.
  const sums = planned.map((session, index) => outputSums(baselineOf(session, "200K"), facts[index]!));
  const total = (of: "recorded" | "replayed"): number => sums.reduce((sum, one) => sum + one[of], 0);
  const charges = { outputRatio: total("replayed") === 0 ? 1 : total("recorded") / total("replayed") };
  return planned.map((session, index) => {
    const own = facts[index]!;
    const scores = new Map<Cell, Score>();
    for (const [window, cells] of Map.groupBy(cellsFor(session.name), (cell) => cell.window)) {
      const { prices } = modelOf(window);
      const baseline = priceRun(baselineOf(session, window), own, charges, prices);
      for (const cell of cells) {
        const run = priceRun(readRun(fileOf(session, jobOf(cell))), own, charges, prices);
        scores.set(cell, scoreRun(run, baseline));
      }
    }
    return { ...session, facts: own, scores };
  });
}

function groupFigures(reports: readonly SessionReport[], cells: readonly Cell[]): Figures {
  return Object.fromEntries(
    cells.map((cell) => {
      const own = reports.filter(({ scores }) => scores.has(cell));
      const scores = own.map((report) => report.scores.get(cell)!);
      return [figureName(cell.policy), policyFigures(scores, userMessagesOf(own))];
    }),
  );
}

function allProfileFigures(reports: readonly SessionReport[], cells: readonly Cell[]): Figures {
  const scoresOf = (name: string): readonly Score[] | undefined => {
    const cell = cells.find(({ policy, group }) => group === "profiles" && policy === name);
    return cell && reports.map(({ scores }) => scores.get(cell)!);
  };
  return Object.fromEntries(
    PROFILES.flatMap((profile) => {
      const shipped = scoresOf(profile);
      if (shipped === undefined) return [];
      const [without, hurried] = [scoresOf(unprepared(profile)) ?? [], scoresOf(whenRequired(profile)) ?? []];
      const scores = { shipped, unprepared: without, whenRequired: hurried };
      return [[profile, profileFigures(scores, userMessagesOf(reports))]];
    }),
  );
}

/** Our profiles, their neighbors, and the policies of others, all on the sessions of the neighbors. */
function frontierFigures(reports: readonly SessionReport[], cells: readonly Cell[]): Figures {
  const own = cells.filter(({ group }) => group === "frontier");
  return {
    sessions: reports.filter(({ scores }) => own.some((cell) => scores.has(cell))).length,
    ours: groupFigures(
      reports,
      own.filter(({ kind }) => kind === "engine"),
    ),
    others: groupFigures(
      reports,
      own.filter(({ kind }) => kind !== "engine"),
    ),
  };
}

/** What changes if `balanced` does without a mechanism. */
function ablationFigures(reports: readonly SessionReport[], cells: readonly Cell[]): Figures {
  const [balanced, ...own] = cells.filter(({ group }) => group === "ablation");
  if (balanced === undefined || own.length === 0) return {};
  const measured = reports.filter(({ scores }) => scores.has(own[0]!));
  const scoresOf = (cell: Cell): readonly Score[] => measured.map(({ scores }) => scores.get(cell)!);
  return {
    sessions: measured.length,
    balanced: policyFigures(scoresOf(balanced), userMessagesOf(measured)),
    mechanisms: Object.fromEntries(
      own.map((cell) => [figureName(cell.policy), difference(scoresOf(cell), scoresOf(balanced))]),
    ),
  };
}

/** A line of JSON for each session and policy, for others to check. */
function rowsOf(reports: readonly SessionReport[]): string {
  const rows = reports.flatMap(({ name, repository, facts, scores }) =>
    Array.from(scores, ([{ policy, group, window }, score]) => ({
      ...{ session: name, repository, agent: facts.agent, user_messages: facts.userMessages },
      ...{ policy, group, condition: conditionOf(window) },
      ...{ price_usd: score.price, baseline_price_usd: score.baselinePrice },
      ...{ needs: score.needs, needs_lost: score.needs - score.strict },
      ...{ edit_lines: score.lines, edit_lines_unmet: score.lines - score.linesMet, fetched_again: score.refetches },
      ...{ compactions: score.compactions, waited_s: score.waitedSeconds, waited_in_all_s: score.waitedInAllSeconds },
      ...{ requests: score.requests, dear_stops: score.dearStops, thinking_blocks_sent: score.thinkingSent },
    })),
  );
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

function userMessagesOf(reports: readonly SessionReport[]): number {
  return reports.reduce((sum, { facts }) => sum + facts.userMessages, 0);
}

function sumOf(reports: readonly SessionReport[], cell: Cell | undefined, field: keyof Score): number {
  return reports.reduce((sum, { scores }) => sum + ((cell && scores.get(cell)?.[field]) ?? 0), 0);
}

/** Figures have names of one form: `plain-80k` is `plain_80k`. */
function figureName(policy: string): string {
  return policy.replaceAll(/[- ]/g, "_");
}
