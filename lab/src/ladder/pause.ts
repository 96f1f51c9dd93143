import type { LayerAction, PauseFigures } from "./figures.ts";
import { type ForecastError, forecastOf } from "./forecast.ts";
import { lastName, partPath, writeParts } from "./parts.ts";
import { resultTexts, wordsOf } from "./read-request.ts";
import { readFile } from "./scripted-model.ts";
import type { SentRequest } from "./simulated-models.ts";
import type { Stage } from "./stage.ts";

/** About 119,000 tokens: above the size for a compaction between turns, below the size for one inside a turn. */
const READS = 20;
const SCENARIO = "a pause of two hours";
const PAUSE_MS = 2 * 60 * 60_000;

export interface PauseResult {
  readonly figures: PauseFigures;
  readonly forecasts: readonly ForecastError[];
  readonly layers: readonly LayerAction[];
}

/** Twenty reads, a pause of two hours and a message; then a compaction that the user asks for, and a message. Both have forecasts. */
export async function runPause(stage: Stage): Promise<PauseResult> {
  const { program, model, clock } = stage;
  writeParts(stage, READS);
  model.plan(...Array.from({ length: READS }, (_, index) => readFile(partPath(index + 1))));
  await program.turns("Read all parts.");
  const before = newestMain(stage);
  const newestBefore = (await stage.decisions()).at(-1)?.sequence ?? 0;

  clock.advance(PAUSE_MS);
  const cold = await forecastOf(stage, "cold", "Go on.");
  const after = cold.request;
  const [first] = (await stage.decisions()).filter(({ sequence }) => sequence > newestBefore);
  await program.compact();
  const compacted = await forecastOf(stage, "after a compaction", "And further.");

  const whole = wholeParts(after);
  return {
    figures: {
      first_layer: first?.layer ?? "none",
      stubs_after: resultTexts(after.body).length - whole,
      whole_results_after: whole,
      tokens_before_pause: before.inputTokens,
      tokens_after_pause: after.inputTokens,
      cache_read_after_pause: after.usage.cacheReadTokens,
    },
    forecasts: [cold.error, compacted.error],
    layers: [
      {
        layer: "clearing",
        acted: first?.layer === "clear",
        scenario: first?.layer === "clear" ? SCENARIO : `${SCENARIO}: it did not clear`,
        at_tokens: before.inputTokens,
        cache_read_tokens: after.usage.cacheReadTokens,
        way: null,
        fork_cache_read_pct: null,
      },
    ],
  };
}

/** How many parts a request shows to their end. */
function wholeParts({ body }: SentRequest): number {
  const words = wordsOf(body);
  return Array.from({ length: READS }, (_, index) => lastName(index + 1)).filter((name) => words.includes(name)).length;
}

function newestMain({ sent }: Stage): SentRequest {
  const newest = sent.findLast(({ kind }) => kind === "main");
  if (newest === undefined) throw new Error("The program sent no request to the model.");
  return newest;
}
