// The effort of a session: how it is requested from a model, and read from a log.
import { isDeepStrictEqual } from "node:util";
import type { Provider } from "palimpsest";
import { EFFORTS, type Effort, effortParameters } from "palimpsest/provider-parts";

/** An effort, or `default` if the provider decides. */
export type EffortChoice = Effort | "default";

export type Parameters = Readonly<Record<string, unknown>>;

export type EffortRequest =
  /** The request fields that set the effort. */
  { readonly kind: "asked"; readonly parameters: Parameters } | { readonly kind: "refused"; readonly problem: string };

/** Determines the request fields that set a model's effort. Asks the provider about a model that is in no table. */
export async function askForEffort(provider: Provider, model: string, wanted: EffortChoice): Promise<EffortRequest> {
  if (wanted === "default") return { kind: "asked", parameters: {} };
  const known = provider.factsOf(model);
  const facts = known.effort === undefined ? await provider.fetchFacts(model) : known;
  const parameters = effortParameters(provider.name, facts, wanted);
  if (parameters !== undefined) return { kind: "asked", parameters };
  const why =
    facts.effort === "none"
      ? `${model} takes no effort setting`
      : `it is unknown how ${model} takes an effort (set it in settings.json: "models", "effort")`;
  return { kind: "refused", problem: `The effort ${wanted} is not used: ${why}.` };
}

/** Reads the effort that a stored session requested. */
export function findEffort(provider: Provider, model: string, parameters: Parameters): Effort | undefined {
  const facts = provider.factsOf(model);
  return EFFORTS.find((effort) =>
    isDeepStrictEqual(
      effortParameters(provider.name, facts, effort) ??
        effortParameters(provider.name, { ...facts, effort: "levels" }, effort),
      parameters,
    ),
  );
}
