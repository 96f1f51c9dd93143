import type { ModelFacts } from "../providers/models.ts";
import type { Provider } from "../providers/provider.ts";
import type { SessionOptions } from "../state/options.ts";
import type { Clock } from "./clock.ts";

/** What a session knows of models: from the table, and from the provider where it was asked. */
export interface KnownFacts {
  of(model: string): ModelFacts;
  /** Asks the provider for the limits of a model, where the session is to ask and has not yet. */
  learn(model: string): Promise<void>;
}

export interface KnownFactsOptions {
  readonly from: SessionOptions<never, never, never>["modelFacts"] | undefined;
  readonly clock: Required<Clock>;
}

/** Whoever opens a session does not wait longer for a server that does not answer. */
const PATIENCE_MS = 5_000;

export function createKnownFacts(
  provider: Pick<Provider, "factsOf" | "fetchFacts">,
  { from = "if-unknown", clock }: KnownFactsOptions,
): KnownFacts {
  const asked = new Map<string, ModelFacts>();

  function needsModelFacts(model: string): boolean {
    if (asked.has(model) || from === "table") return false;
    return from === "asked" || provider.factsOf(model).windowTokens === undefined;
  }

  return {
    of: (model) => asked.get(model) ?? provider.factsOf(model),
    async learn(model) {
      const facts = needsModelFacts(model) ? await askInTime(provider, model, clock) : undefined;
      if (facts !== undefined) asked.set(model, facts);
    },
  };
}

/** What the provider says of a model; undefined if it says nothing in time. */
async function askInTime(
  provider: Pick<Provider, "fetchFacts">,
  model: string,
  clock: Required<Clock>,
): Promise<ModelFacts | undefined> {
  const over = new AbortController();
  const waited = clock.wait(PATIENCE_MS, over.signal).then(() => undefined);
  try {
    return await Promise.race([provider.fetchFacts(model), waited]);
  } finally {
    over.abort();
  }
}
