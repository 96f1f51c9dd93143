import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import type { Experiment, ExperimentOptions, Figures } from "../experiment.ts";
import { runControls } from "./controls.ts";
import type { LadderFigures, RowFigures } from "./figures.ts";
import { packAndInstall } from "./install.ts";
import { type Expected, judge } from "./judge.ts";
import { chooseRows, nameOf } from "./rows.ts";
import { type RowResult, runRow } from "./run-row.ts";

/** How far the forecast for a request may be from its cost, in percent of the cost. */
const MAX_FORECAST_ERROR_PCT = 5;

/** All layers together, in the packed programs, with default settings: which layer acts when, and what the next request costs. */
export const ladderExperiment: Experiment = {
  name: "ladder",
  about: "all layers together in the packed agent and the packed library, with default settings",
  run: async (options) => ({ ...(await runLadder(options)) }),
  judge: (figures: Figures, options) => judge(figures as unknown as LadderFigures, expectedOf(options)),
};

export async function runLadder({ size, only }: ExperimentOptions): Promise<LadderFigures> {
  return inTemporaryFolder(async (base) => {
    const installed = packAndInstall(base);
    const models: RowFigures[] = [];
    let refused = 0;
    for (const row of chooseRows(size, only)) {
      const result = await runRow({ row, installed, plants: {} });
      console.error(describe(result));
      models.push(result.figures);
      refused += result.refusals.length;
    }
    return { models, refused, controls: only === undefined ? await runControls(installed) : [] };
  });
}

/** What the command asks of its rows. */
export function expectedOf({ size, only }: ExperimentOptions): Expected {
  const rows = chooseRows(size, only);
  return {
    rows: rows.map(nameOf),
    models: new Set(rows.map(({ model }) => model)).size,
    controls: only === undefined ? "needed" : "left-out",
    forecastErrorPct: MAX_FORECAST_ERROR_PCT,
  };
}

/** The figures behind the worst ones, for people who look for a cause. */
function describe({ figures, forecasts, rulesMissing, refusals }: RowResult): string {
  const { via, model } = figures;
  return [
    `${via} ${model}:`,
    ...forecasts.map(
      ({ when, forecastUsd, actualUsd, errorPct }) =>
        `  next request, ${when}: $${forecastUsd.toFixed(4)} forecast, $${actualUsd.toFixed(4)} paid, ${errorPct.toFixed(1)}% off`,
    ),
    `  folder rules missing: ${rulesMissing.length === 0 ? "none" : rulesMissing.join(", ")}`,
    ...refusals.map((message) => `  refused: ${message}`),
  ].join("\n");
}
