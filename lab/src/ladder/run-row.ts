import type { LayerAction, RowFigures } from "./figures.ts";
import { type FolderRulesResult, runFolderRules } from "./folder-rules.ts";
import type { ForecastError } from "./forecast.ts";
import { runForks } from "./forks.ts";
import { growBetweenTurns, growInTurn } from "./growth.ts";
import { NOTES_ON, runNotes } from "./notes.ts";
import { runPause } from "./pause.ts";
import type { RequestKind } from "./read-request.ts";
import { onStage, type Stage, type Subject } from "./stage.ts";

/** The figures of a row, and what they were computed from. */
export interface RowResult {
  readonly figures: RowFigures;
  readonly refusals: readonly string[];
  readonly forecasts: readonly ForecastError[];
  readonly rulesMissing: FolderRulesResult["missing"];
}

/** Runs all scenarios of a row, each with an empty home and an empty cache. */
export async function runRow(subject: Subject): Promise<RowResult> {
  const { via, model } = subject.row;
  const refusals: string[] = [];
  const kinds = new Set<RequestKind>();
  const play = <Result>(run: (stage: Stage) => Promise<Result>, settings: Readonly<Record<string, string>> = {}) =>
    onStage(subject, settings, async (stage) => {
      const result = await run(stage);
      refusals.push(...stage.refusals);
      for (const { kind } of stage.sent) kinds.add(kind);
      return result;
    });
  const pause = await play(runPause);
  const inTurn = await play(growInTurn);
  const betweenTurns = await play(growBetweenTurns);
  const forks = await play(runForks);
  const rules = await play(runFolderRules);
  const notes = await play(runNotes, NOTES_ON);

  const forecasts = [forks.forecast, ...pause.forecasts];
  const figures: RowFigures = {
    model,
    via,
    ...pause.figures,
    fork_cache_read_pct: {
      summary: Math.min(inTurn.summaryPct ?? 0, betweenTurns.summaryPct ?? 0),
      agent: forks.agentPct,
    },
    next_request_error_pct: oneDecimal(Math.max(...forecasts.map(({ errorPct }) => errorPct))),
    folder_rules_cases: rules.cases,
    folder_rules_missing: rules.missing.length,
    layers: [
      ...forks.layers.filter(({ layer }) => layer === "storage"),
      ...pause.layers,
      notes,
      inTurn.first,
      betweenTurns.first,
      inBackground("memory", kinds, subject),
      inBackground("dreaming", kinds, subject),
      ...forks.layers.filter(({ layer }) => layer === "agents"),
    ],
  };
  return { figures, refusals, forecasts, rulesMissing: rules.missing };
}

/** A layer that would act beside any of the scenarios. */
function inBackground(layer: "memory" | "dreaming", kinds: ReadonlySet<RequestKind>, { row }: Subject): LayerAction {
  const acted = kinds.has(layer === "memory" ? "memory" : "dream");
  const why = row.via === "agent" ? "off until the user agrees" : "this host has no memory";
  return {
    layer,
    acted,
    scenario: acted ? "beside the conversation" : why,
    at_tokens: null,
    cache_read_tokens: null,
    way: null,
    fork_cache_read_pct: null,
  };
}

function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}
