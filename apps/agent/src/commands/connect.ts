// Creates providers with their API clients.
import { agentHomeOf } from "@palimpsest/coordination/project-places";
import type { Provider } from "palimpsest";
import type { ExtraModels } from "palimpsest/provider-parts";
import { readUserSettings } from "../permissions/load-settings.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { NO_KEY, type ProviderChoice, type ProviderWord } from "./choose-provider.ts";
import type { Terminal } from "./terminal.ts";

interface ConnectOptions {
  /** Makes the HTTP calls. @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /** Facts about models from the user's settings. @default {} */
  readonly models?: ExtraModels;
}

/** Creates the provider with its client. Loads only this client. */
export async function connect(choice: ProviderChoice, { fetch, models = {} }: ConnectOptions = {}): Promise<Provider> {
  const { provider, baseUrl } = choice;
  const options = clientOptions(choice, fetch === undefined ? {} : { fetch });
  if (provider === "anthropic") {
    const [{ Anthropic }, { anthropic }] = await Promise.all([
      import("@anthropic-ai/sdk"),
      import("palimpsest/anthropic"),
    ]);
    // Compatible servers reject the fields of beta features.
    const betas = baseUrl === undefined ? ({ edits: "asked" } as const) : ({ cacheDiagnostics: "off" } as const);
    return anthropic(new Anthropic(options), { models, ...betas });
  }
  if (provider === "bedrock") return connectBedrock({ baseUrl, key: choice.key, models });
  const [{ OpenAI }, { openaiResponses, openaiChat }] = await Promise.all([
    import("openai"),
    import("palimpsest/openai"),
  ]);
  const client = new OpenAI(options);
  if (provider === "openai") {
    return openaiResponses(client, { models, cacheDiagnostics: baseUrl === undefined ? undefined : "off" });
  }
  return openaiChat(client, { models, dialect: baseUrl === undefined ? "openai" : "compatible" });
}

interface ClientOptions extends Pick<ConnectOptions, "fetch"> {
  readonly apiKey: string;
  readonly maxRetries: number;
  readonly baseURL?: string;
}

/** The options of a client. The client does not retry failed calls, because the agent loop does. */
function clientOptions(
  { baseUrl, key }: Pick<ProviderChoice, "baseUrl" | "key">,
  { fetch }: Pick<ConnectOptions, "fetch"> = {},
): ClientOptions {
  return {
    apiKey: key ?? NO_KEY,
    maxRetries: 0,
    baseURL: baseUrl,
    fetch,
  };
}

/** A client for a provider that sends nothing. */
const NO_CLIENT = {} as never;

/**
 * Creates providers that render requests, by their name in logs. The options match the agent's defaults, so that a
 * request renders as it was sent.
 */
const RENDERERS: Readonly<Record<string, (models: ExtraModels) => Promise<Provider>>> = {
  anthropic: async (models) => {
    const { anthropic } = await import("palimpsest/anthropic");
    return anthropic(NO_CLIENT, { models, edits: "asked", cacheDiagnostics: "asked" });
  },
  "openai-responses": async (models) => {
    const { openaiResponses } = await import("palimpsest/openai");
    return openaiResponses(NO_CLIENT, { models });
  },
  "openai-chat": async (models) => {
    const { openaiChat } = await import("palimpsest/openai");
    return openaiChat(NO_CLIENT, { models, dialect: "openai" });
  },
  gemini: async (models) => {
    const { gemini } = await import("palimpsest/gemini");
    return gemini(NO_CLIENT, { models });
  },
  bedrock: async (models) => {
    const { bedrock } = await import("palimpsest/bedrock");
    return bedrock(NO_CLIENT, { models });
  },
};

/** Creates a provider that renders a log's requests again, by its name in the log. Undefined for an unknown name. */
export async function offlineByName(name: string, models: ExtraModels = {}): Promise<Provider | undefined> {
  return Object.hasOwn(RENDERERS, name) ? RENDERERS[name]!(models) : undefined;
}

interface BedrockConnection {
  readonly baseUrl: string | undefined;
  readonly key: string | undefined;
  readonly models: ExtraModels;
}

/**
 * Connects to Bedrock. Users install its client themselves, because it is large and few users need it. The client finds
 * the region and credentials like other AWS tools.
 */
async function connectBedrock({ baseUrl, key, models }: BedrockConnection): Promise<Provider> {
  const [{ BedrockRuntime }, { bedrock }] = await Promise.all([
    import("@aws-sdk/client-bedrock-runtime").catch((error: unknown) => {
      throw new UsageError(
        "--provider bedrock needs a package that is not installed. Run: npm install -g @aws-sdk/client-bedrock-runtime",
        { cause: error },
      );
    }),
    import("palimpsest/bedrock"),
  ]);
  const token = key === undefined || key === NO_KEY ? {} : { token: { token: key }, authSchemePreference: [BEARER] };
  return bedrock(new BedrockRuntime({ ...token, ...(baseUrl === undefined ? {} : { endpoint: baseUrl }) }), { models });
}

const BEARER = "httpBearerAuth";

/** Creates a provider for work without calls: facts about models, and the form of requests. Loads no client. */
export async function offline(provider: ProviderWord, models: ExtraModels = {}): Promise<Provider> {
  if (provider === "anthropic") {
    const { anthropic } = await import("palimpsest/anthropic");
    return anthropic(NO_CLIENT, { models });
  }
  if (provider === "bedrock") {
    const { bedrock } = await import("palimpsest/bedrock");
    return bedrock(NO_CLIENT, { models });
  }
  const { openaiResponses, openaiChat } = await import("palimpsest/openai");
  return provider === "openai" ? openaiResponses(NO_CLIENT, { models }) : openaiChat(NO_CLIENT, { models });
}

/** OpenAI models that are not for conversations. */
const OTHER_KINDS =
  /embedding|whisper|tts|dall-e|image|audio|realtime|moderation|transcribe|sora|babbage|davinci|computer-use/;

/**
 * Lists the ids of the provider's models, newest first if the provider gives dates. Loads only this provider's client.
 */
export async function listModels(
  choice: ProviderChoice,
  { signal, ...options }: Pick<ConnectOptions, "fetch"> & { readonly signal?: AbortSignal } = {},
): Promise<readonly string[]> {
  // The Bedrock runtime lists no models, and its key must not go to another service.
  if (choice.provider === "bedrock") return [];
  const client = clientOptions(choice, options);
  const during = signal === undefined ? {} : { signal };
  if (choice.provider === "anthropic") {
    const { Anthropic } = await import("@anthropic-ai/sdk");
    const page = await new Anthropic(client).models.list({ limit: 1_000 }, during);
    return page.data.map(({ id }) => id);
  }
  const { OpenAI } = await import("openai");
  const { data } = await new OpenAI(client).models.list(during);
  const newestFirst = data.toSorted((one, other) => (other.created ?? 0) - (one.created ?? 0)).map(({ id }) => id);
  // The naming scheme is OpenAI's. Other servers choose their own names.
  return choice.baseUrl === undefined ? newestFirst.filter((id) => !OTHER_KINDS.test(id)) : newestFirst;
}

/** Reads facts about models (window, limits, prices) from the user's settings. They override our table. */
export async function userModels(environment: Terminal["environment"]): Promise<ExtraModels> {
  return (await readUserSettings(agentHomeOf(environment))).settings.models ?? {};
}
