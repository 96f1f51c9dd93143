import type { ForkFigures, LadderFigures, LayerAction, PauseFigures, RowFigures } from "./figures.ts";

/** What a run was asked for. */
export interface Expected {
  /** The names of its rows. */
  readonly rows: readonly string[];
  /** The number of different models in these rows. */
  readonly models: number;
  /** `left-out`: a run of chosen rows plants no faults. */
  readonly controls: "needed" | "left-out";
  /** How far a forecast may be from the cost of its request, in percent of this cost. */
  readonly forecastErrorPct: number;
}

/** The defaults keep so many of the newest results when they clear in a cold cache. */
const KEPT_RESULTS = 4;
const MIN_STUBS = 12;
/** The size after the pause, as a share of the size before it. */
const MAX_SHARE_LEFT = 0.5;
const MIN_FORK_PCT = 95;
const MIN_RULE_CASES = 10;
const MIN_CONTROLS = 4;
/** The ways in which a model writes a summary. */
const MODEL_WAYS = ["fork", "direct", "in-parts", "provider"];

/** Compares the figures with what the ladder promises. Returns one sentence per problem. */
export function judge(figures: LadderFigures, expected: Expected): readonly string[] {
  const { models, refused } = figures;
  const found = models.map(({ via, model }) => `${via} ${model}`);
  const different = new Set(models.map(({ model }) => model)).size;
  return [
    ...expected.rows.filter((row) => !found.includes(row)).map((row) => `There is no row "${row}".`),
    ...problemIf(different < expected.models, `${different} different models ran; ${expected.models} are needed.`),
    ...models.flatMap((row) => judgeRow(row, expected).map((problem) => `${row.via} ${row.model}: ${problem}`)),
    ...problemIf(
      models.length > 0 && models.every(({ layers }) => !acts(layers, "notes")),
      "Session notes were not updated in any row, although they were switched on.",
    ),
    ...problemIf(refused > 0, `refused is ${refused}: the simulator refused requests.`),
    ...(expected.controls === "needed" ? judgeControls(figures) : []),
  ];
}

function judgeRow(row: RowFigures, { forecastErrorPct }: Expected): readonly string[] {
  const { next_request_error_pct: error } = row;
  return [
    ...judgePause(row),
    ...judgeForks(row.fork_cache_read_pct),
    ...problemIf(
      !(error <= forecastErrorPct),
      `next_request_error_pct is ${error}; at most ${forecastErrorPct} is allowed.`,
    ),
    ...judgeFolderRules(row),
    ...judgeLayers(row.layers),
  ];
}

export function judgePause(pause: PauseFigures): readonly string[] {
  const { first_layer, stubs_after, whole_results_after, cache_read_after_pause } = pause;
  const { tokens_before_pause: before, tokens_after_pause: after } = pause;
  return [
    ...problemIf(first_layer !== "clear", `first_layer is "${first_layer}"; "clear" is due after a pause.`),
    ...problemIf(
      !(after <= MAX_SHARE_LEFT * before),
      `tokens_after_pause is ${after} of ${before}; at most ${MAX_SHARE_LEFT * before} are allowed.`,
    ),
    ...problemIf(stubs_after < MIN_STUBS, `stubs_after is ${stubs_after}; at least ${MIN_STUBS} are due.`),
    ...problemIf(
      whole_results_after !== KEPT_RESULTS,
      `whole_results_after is ${whole_results_after}; the preset keeps ${KEPT_RESULTS}.`,
    ),
    ...problemIf(
      cache_read_after_pause !== 0,
      `cache_read_after_pause is ${cache_read_after_pause}; after the pause the cache is empty.`,
    ),
  ];
}

export function judgeForks({ summary, agent }: ForkFigures): readonly string[] {
  return Object.entries({ summary, agent })
    .filter(([, pct]) => !(pct >= MIN_FORK_PCT))
    .map(([fork, pct]) => `fork_cache_read_pct.${fork} is ${pct}; at least ${MIN_FORK_PCT} is due.`);
}

export function judgeFolderRules({
  folder_rules_cases: cases,
  folder_rules_missing: missing,
}: Pick<RowFigures, "folder_rules_cases" | "folder_rules_missing">): readonly string[] {
  return [
    ...problemIf(cases < MIN_RULE_CASES, `folder_rules_cases is ${cases}; ${MIN_RULE_CASES} are needed.`),
    ...problemIf(missing !== 0, `folder_rules_missing is ${missing} of ${cases} cases.`),
  ];
}

/** Layers that are on by default must act. Forks of every layer read what their parent left. */
function judgeLayers(layers: readonly LayerAction[]): readonly string[] {
  const on = ["storage", "clearing", "compaction", "agents"] as const;
  return [
    ...on.filter((layer) => !acts(layers, layer)).map((layer) => `The layer "${layer}" acted in no scenario.`),
    ...layers.flatMap(({ layer, acted, scenario, fork_cache_read_pct: pct }) =>
      problemIf(
        acted && pct !== null && !(pct >= MIN_FORK_PCT),
        `In "${scenario}", the fork of the layer "${layer}" read ${pct}% of its parent's cache; ${MIN_FORK_PCT}% is due.`,
      ),
    ),
    ...layers.flatMap(({ layer, acted, scenario, way }) =>
      problemIf(
        layer === "compaction" && acted && !MODEL_WAYS.includes(way ?? ""),
        `In "${scenario}", no model wrote the summary: the way is "${way}".`,
      ),
    ),
  ];
}

function judgeControls({ controls }: LadderFigures): readonly string[] {
  return [
    ...problemIf(controls.length < MIN_CONTROLS, `${controls.length} faults were planted; ${MIN_CONTROLS} are needed.`),
    ...controls
      .filter(({ failed }) => !failed)
      .map(({ name }) => `The planted fault "${name}" was not found by this judge.`),
  ];
}

function acts(layers: readonly LayerAction[], layer: LayerAction["layer"]): boolean {
  return layers.some((one) => one.layer === layer && one.acted);
}

function problemIf(isProblem: boolean, problem: string): readonly string[] {
  return isProblem ? [problem] : [];
}
