import type { ModelFacts } from "palimpsest";
import type { ExtraModels } from "palimpsest/provider-parts";

type Fields = Readonly<Record<string, unknown>>;

/** Facts of models as a settings file names them. What cannot be used is left out: the schema's check has named it. */
export function readModels(value: unknown): ExtraModels {
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([id, given]) => [id, readModel(fieldsOf(given))]));
}

function readModel(given: Fields): Partial<ModelFacts> {
  const prices = readPrices(fieldsOf(given["prices"]));
  const counts = (["windowTokens", "maxInputTokens", "maxOutputTokens"] as const).flatMap((name) => {
    const tokens = numberOf(given[name]);
    return tokens === undefined || tokens < 1 ? [] : [[name, Math.floor(tokens)] as const];
  });
  const effort = (["levels", "budget", "none"] as const).find((word) => word === given["effort"]);
  return {
    ...Object.fromEntries(counts),
    ...(effort === undefined ? {} : { effort }),
    ...(prices === undefined ? {} : { prices }),
  };
}

/** A price that is guessed is worse than none: without both of the main ones there are none. */
function readPrices(given: Fields): ModelFacts["prices"] {
  const [input, output] = [numberOf(given["input"]), numberOf(given["output"])];
  if (input === undefined || output === undefined) return undefined;
  const cacheWrite5m = numberOf(given["cacheWrite5m"]) ?? input;
  return {
    input,
    output,
    cacheWrite5m,
    cacheRead: numberOf(given["cacheRead"]) ?? input,
    cacheWrite1h: numberOf(given["cacheWrite1h"]) ?? cacheWrite5m,
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
