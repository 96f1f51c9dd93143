import type { ModelFacts } from "../providers/models.ts";
import type { Provider } from "../providers/provider.ts";
import type { Clock } from "./clock.ts";

/** Whoever opens a session does not wait longer for a server that does not answer. */
const PATIENCE_MS = 5_000;

/** Whether the provider is to be asked for the limits of a model. */
export function needsModelFacts(
  how: "if-unknown" | "asked" | "table" = "if-unknown",
  { windowTokens }: ModelFacts,
): boolean {
  return how === "asked" || (how === "if-unknown" && windowTokens === undefined);
}

/** What the provider says of a model; undefined if it says nothing in time. */
export async function fetchModelFacts(
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
