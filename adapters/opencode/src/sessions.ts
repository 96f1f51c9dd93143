// Opens the sessions of the plugin.

import type { ModelFacts, Store } from "palimpsest";
import { type AdapterSessions, connectNewest, createAdapterSessions } from "palimpsest/adapter-parts";
import { asCount, asObject } from "palimpsest/schema";
import type { ModelCalls } from "./model-calls.ts";
import { opencodeProvider } from "./provider.ts";
import type { LiveCall } from "./wire.ts";

export type Sessions = AdapterSessions<LiveCall>;

export function createSessions(store: Store, calls: Pick<ModelCalls, "ask">): Sessions {
  const connect = (first: LiveCall) =>
    connectNewest(first, ({ ofModel, newest }) =>
      opencodeProvider({
        facts: (id) => ofModel(id).facts,
        ask: (request, signal) => calls.ask(newest(), request, signal),
      }),
    );
  return createAdapterSessions({ prefix: "opencode-", metadata: "opencode", connect }, { store });
}

/** Reads the facts about a model from the answer of `client.config.providers()`. */
export function readFacts(data: unknown, providerID: string, modelID: string): Partial<ModelFacts> {
  const providers = asObject(data)?.["providers"];
  const provider = (Array.isArray(providers) ? providers : []).find((one) => asObject(one)?.["id"] === providerID);
  const { limit } = asObject(asObject(asObject(provider)?.["models"])?.[modelID]) ?? {};
  const { context, output } = asObject(limit) ?? {};
  const [windowTokens, maxOutputTokens] = [asCount(context), asCount(output)];
  return {
    ...(windowTokens ? { windowTokens, maxInputTokens: windowTokens } : {}),
    ...(maxOutputTokens ? { maxOutputTokens } : {}),
  };
}
