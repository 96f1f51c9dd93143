import { LIFETIME_MS } from "../cache/token-costs.ts";
import type { Ledger } from "../cost/ledger.ts";
import { describeRequest } from "../cost/misses.ts";
import type { CacheFacts } from "../log/cause.ts";
import type { CacheTtl } from "../log/payload.ts";
import type { RequestedEdits } from "../log/provider-edits.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { Provider } from "../providers/provider.ts";
import { readConfiguration } from "../state/load.ts";
import type { LogReader } from "../stores/store.ts";
import type { Configuration, View } from "../view/view.ts";

export interface NextRequestParts {
  readonly log: LogReader;
  readonly view: View;
  readonly ledger: Ledger;
  readonly configuration: Configuration;
  readonly provider: Pick<Provider, "name" | "cacheEffects">;
  readonly facts: ModelFacts;
  readonly cacheTtl: CacheTtl;
  readonly headTtl?: "1h" | undefined;
  readonly asked: RequestedEdits;
}

/** What of the next request's cache is to be written down with it, and which response the provider compares it with. */
export async function describeNextRequest(
  parts: NextRequestParts,
): Promise<{ readonly cache: CacheFacts; readonly previousResponseId?: string }> {
  const { view, ledger, configuration, provider, facts, cacheTtl, headTtl, asked } = parts;
  const { prices, thinking, earlierThinking, cacheLifetimeMs: lifetimeMs = LIFETIME_MS[cacheTtl] } = facts;
  const isChosen = facts.cacheLifetimeMs === undefined && headTtl !== undefined;
  const previous = ledger.sources["main"]?.previous;
  const before = previous && (await configurationAt(previous.configuration, parts));
  const effects = provider.cacheEffects;
  return {
    cache: describeRequest({
      view,
      ledger,
      configuration,
      before,
      lifetimeMs,
      headLifetimeMs: isChosen ? LIFETIME_MS[headTtl] : undefined,
      effects,
      thinking,
      earlierThinking,
      prices,
      asked,
    }),
    // Another provider does not know it.
    ...(before?.provider === provider.name && previous!.responseId !== ""
      ? { previousResponseId: previous!.responseId }
      : {}),
  };
}

async function configurationAt(entry: number, { log, view, configuration }: NextRequestParts) {
  return entry === configuration.entry ? configuration : readConfiguration(log, entry, view.featureOptions);
}
