import type { ModelFacts } from "palimpsest";
import type { Terms } from "./probe.ts";
import type { ToldModel } from "./probes/model.ts";

/** What is known of a model before anybody was asked. */
export function termsByTable(facts: ModelFacts): Pick<Terms, "facts" | "windowFrom" | "thinking"> {
  return { facts, windowFrom: facts.windowTokens === undefined ? "nobody" : "table", thinking: {} };
}

/** The same with what the service has said of it. */
export function termsByAsking(
  table: ModelFacts,
  { told, thinkingTypes = [] }: ToldModel,
): ReturnType<typeof termsByTable> {
  const known = termsByTable({ ...table, ...told });
  return {
    ...known,
    ...(told.windowTokens === undefined ? {} : { windowFrom: "service" }),
    thinking: toThinking(thinkingTypes),
  };
}

/** The same with a window that a refusal has named. */
export function termsByRefusal(terms: Terms, windowTokens: number): Terms {
  return { ...terms, facts: { ...terms.facts, windowTokens }, windowFrom: "service" };
}

/** The client warns of a budget where the model has the other way. */
function toThinking(types: readonly string[]): Terms["thinking"] {
  if (types.includes("adaptive")) return { thinking: { type: "adaptive" } };
  return types.includes("enabled") ? { thinking: { type: "enabled", budget_tokens: 1_024 } } : {};
}
