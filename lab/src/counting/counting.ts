import { globSync } from "node:fs";
import type { Experiment, Figures } from "../experiment.ts";
import { type RecordedFile, readTraces, tracesFolder } from "../traces.ts";
import {
  bytesWithJsonApart,
  CalibratedEstimator,
  type Estimator,
  PlainEstimator,
  quarterOfCharacters,
} from "./estimators.ts";
import { growthsOf } from "./growths.ts";
import { type CountingScore, type Prediction, scoreOf } from "./score.ts";

const EVERY_NTH = { full: 1, quick: 3 };

const BASELINES: Readonly<Record<string, () => Estimator>> = {
  "chars/4": () => new PlainEstimator(quarterOfCharacters, 1),
  "chars/4 x 4/3": () => new PlainEstimator(quarterOfCharacters, 4 / 3),
  "bytes/4, JSON bytes/2, x 4/3": () => new PlainEstimator(bytesWithJsonApart, 4 / 3),
};

/** All on the same requests, each with the last usage as its anchor. */
const ESTIMATORS: Readonly<Record<string, () => Estimator>> = {
  calibrated: () => new CalibratedEstimator("estimate"),
  padded: () => new CalibratedEstimator("padded"),
  unlearned: () => new CalibratedEstimator("unlearned"),
  ...BASELINES,
};

/** How well the size of a request is known before it is sent. */
export const countingExperiment: Experiment = {
  name: "counting",
  about: "predicted against reported context sizes of recorded sessions (PALIMPSEST_TRACES)",
  needs: "traces",
  async run({ size }) {
    const halves = halvesOf(tracesFolder());
    const results: FileResult[] = [];
    for await (const file of readTraces(EVERY_NTH[size])) {
      results.push(predictFile(file));
    }
    const heldOut = results.filter(({ source }) => halves.held_out.includes(source));
    const train = results.filter(({ source }) => halves.train.includes(source));
    if (heldOut.length === 0) throw new Error(`No sessions to score below ${tracesFolder()}; set PALIMPSEST_TRACES.`);
    return {
      ...scoreAll(heldOut),
      by_folder: Object.fromEntries(
        [...Map.groupBy(results, ({ source }) => source)].map(([source, files]) => [
          source,
          scoreOf(files.flatMap(({ predictions }) => predictions["calibrated"]!)),
        ]),
      ),
      train: scoreAll(train),
      folders: halves,
    };
  },
};

/** Parameters are chosen on every second folder, in the order of their names; figures are of the others. */
function halvesOf(folder: string): { train: string[]; held_out: string[] } {
  const names = globSync("*/**/*.{jsonl,jsonl.zst}", { cwd: folder }).map((name) => name.split("/")[0]!);
  const sources = [...new Set(names)].sort();
  return {
    train: sources.filter((_, index) => index % 2 === 0),
    held_out: sources.filter((_, index) => index % 2 === 1),
  };
}

interface FileResult {
  readonly source: string;
  readonly predictions: Readonly<Record<string, readonly Prediction[]>>;
  /** For each request that was not scored, why; the first of a session is not among them, having nothing before it. */
  readonly leftOut: readonly string[];
}

function predictFile({ source, path, entries }: RecordedFile): FileResult {
  const growths = growthsOf(entries);
  const scored = growths.filter(({ leftOut }) => leftOut === undefined);
  const predictWith = (estimator: Estimator): Prediction[] =>
    scored.map((growth) => {
      const predictedTokens = estimator.predict(growth);
      estimator.observe(growth);
      return { ...growth, session: path, predictedTokens };
    });
  const predictions = Object.entries(ESTIMATORS).map(([name, create]) => [name, predictWith(create())]);
  return { source, predictions: Object.fromEntries(predictions), leftOut: growths.flatMap((one) => one.leftOut ?? []) };
}

/** The engine's own estimator at the top level, the others below it, and what was not scored. */
function scoreAll(results: readonly FileResult[]): Figures {
  const score = (name: string): CountingScore => scoreOf(results.flatMap(({ predictions }) => predictions[name]!));
  const leftOut = Map.groupBy(
    results.flatMap((result) => result.leftOut),
    (reason) => reason,
  );
  return {
    sessions: results.length,
    ...score("calibrated"),
    padded: score("padded"),
    without_learning: score("unlearned"),
    baselines: Object.fromEntries(Object.keys(BASELINES).map((name) => [name, score(name)])),
    left_out: Object.fromEntries([...leftOut].map(([reason, all]) => [reason, all.length])),
  };
}
