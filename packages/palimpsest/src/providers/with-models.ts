import { type ExtraModels, withGiven } from "./models.ts";
import type { Provider } from "./provider.ts";

/** Returns the provider with facts of models that win over its own: for hosts whose users know models in no table. */
export function withModels<Request, Response, Message>(
  provider: Provider<Request, Response, Message>,
  extra: ExtraModels,
): Provider<Request, Response, Message> {
  return {
    ...provider,
    factsOf: (model) => withGiven(model, provider.factsOf(model), extra),
    fetchFacts: async (model) => withGiven(model, await provider.fetchFacts(model), extra),
  };
}
