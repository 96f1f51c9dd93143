import type { ModelFacts } from "palimpsest";
import type { RequestLimits } from "../commands/live/probe.ts";
import type { ReportedModel } from "../commands/live/probes/model.ts";

/** The facts about a model before the service was asked. */
export function targetByTable(facts: ModelFacts): Pick<RequestLimits, "facts" | "windowFrom" | "thinking"> {
  return { facts, windowFrom: facts.windowTokens === undefined ? "nobody" : "table", thinking: {} };
}

/** Adds the service's own facts about the model. */
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

/** Sets the window that an error message has named. */
export function targetByRefusal(target: RequestLimits, windowTokens: number): RequestLimits {
  return { ...target, facts: { ...target.facts, windowTokens }, windowFrom: "service" };
}

/** The thinking parameters of a model. The client warns about a budget if the model uses another way. */
function toThinking(types: readonly string[]): RequestLimits["thinking"] {
  if (types.includes("adaptive")) return { thinking: { type: "adaptive" } };
  return types.includes("enabled") ? { thinking: { type: "enabled", budget_tokens: 1_024 } } : {};
}
