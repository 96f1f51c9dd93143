import type { Provider } from "palimpsest";
import type { ExtraModels } from "palimpsest/core";
import type { ProviderChoice, ProviderWord } from "./choose-provider.ts";

export interface ConnectOptions {
  /** Makes the HTTP calls. @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /** Facts about models from the user's settings. @default {} */
  readonly models?: ExtraModels;
}

/** Creates the provider with its client. Loads only this client. The agent loop retries failed calls, so the client does not. */
export async function connect(
  { provider, baseUrl, key }: ProviderChoice,
  { fetch, models = {} }: ConnectOptions = {},
): Promise<Provider> {
  const options = {
    apiKey: key ?? "none",
    maxRetries: 0,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(fetch === undefined ? {} : { fetch }),
  };
  if (provider === "anthropic") {
    const [{ Anthropic }, { anthropic }] = await Promise.all([
      import("@anthropic-ai/sdk"),
      import("palimpsest/anthropic"),
    ]);
    // Compatible servers reject the fields of beta features.
    const betas = baseUrl === undefined ? ({ edits: "asked" } as const) : ({ cacheDiagnostics: "off" } as const);
    return anthropic(new Anthropic(options), { models, ...betas });
  }
  const [{ OpenAI }, { openaiResponses, openaiChat }] = await Promise.all([
    import("openai"),
    import("palimpsest/openai"),
  ]);
  const client = new OpenAI(options);
  if (provider === "openai") {
    return openaiResponses(client, { models, ...(baseUrl === undefined ? {} : { cacheDiagnostics: "off" }) });
  }
  return openaiChat(client, { models, dialect: baseUrl === undefined ? "openai" : "compatible" });
}

/** Creates a provider for work without calls: facts about models, and the form of requests. Loads no client. */
export async function offline(provider: ProviderWord, models: ExtraModels = {}): Promise<Provider> {
  const client = {} as never;
  if (provider === "anthropic") {
    const { anthropic } = await import("palimpsest/anthropic");
    return anthropic(client, { models });
  }
  const { openaiResponses, openaiChat } = await import("palimpsest/openai");
  return provider === "openai" ? openaiResponses(client, { models }) : openaiChat(client, { models });
}
