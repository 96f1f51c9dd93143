import type { ModelFacts } from "palimpsest";
import type { RequestLimits } from "./probe.ts";
import type { ReportedModel } from "./probes/model.ts";

/** What is known of a model before anybody was asked. */
export function targetByTable(facts: ModelFacts): Pick<RequestLimits, "facts" | "windowFrom" | "thinking"> {
  return { facts, windowFrom: facts.windowTokens === undefined ? "nobody" : "table", thinking: {} };
}

/** The same with what the service has said of it. */
export function targetByAsking(
  table: ModelFacts,
  { told, thinkingTypes = [] }: ReportedModel,
): ReturnType<typeof targetByTable> {
  const known = targetByTable({ ...table, ...told });
  return {
    ...known,
    ...(told.windowTokens === undefined ? {} : { windowFrom: "service" }),
    thinking: toThinking(thinkingTypes),
  };
}

/** The same with a window that a refusal has named. */
export function targetByRefusal(target: RequestLimits, windowTokens: number): RequestLimits {
  return { ...target, facts: { ...target.facts, windowTokens }, windowFrom: "service" };
}

/** The client warns of a budget where the model has the other way. */
function toThinking(types: readonly string[]): RequestLimits["thinking"] {
  if (types.includes("adaptive")) return { thinking: { type: "adaptive" } };
  return types.includes("enabled") ? { thinking: { type: "enabled", budget_tokens: 1_024 } } : {};
}
