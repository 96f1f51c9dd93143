// Chooses the provider, the model and the key.
import type { UsedBefore } from "../workspace/stored-sessions.ts";
import { oneOf } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

export type ProviderWord = "anthropic" | "openai" | "openai-chat" | "bedrock";

export interface WantedProvider {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly "base-url"?: string | undefined;
}

export interface ProviderChoice {
  readonly provider: ProviderWord;
  readonly model: string;
  readonly baseUrl?: string;
  /** The API key. Undefined without a key. */
  readonly key?: string;
  /** The environment variable that contains the key. */
  readonly keyName: string;
}

/** The provider and model in the user's settings. */
interface PreferredProvider {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/**
 * Chooses provider and model from the first source that names them: the command line, the session's last request, the
 * user's settings, the key that is set.
 */
export function chooseProvider(
  wanted: WantedProvider,
  environment: Terminal["environment"],
  before?: UsedBefore,
  preferred: PreferredProvider = {},
): ProviderChoice {
  const usual = PROVIDERS.find((word) => word === preferred.provider);
  const earlier = before && NAMES_IN_LOGS[before.provider];
  const byKey = PROVIDERS.find((word) => environment[KEY_NAMES[word]]) ?? "anthropic";
  const provider = oneOf("--provider", wanted.provider, PROVIDERS) ?? earlier ?? usual ?? byKey;
  const isSame = before !== undefined && provider === earlier;
  // An empty URL means the provider's own endpoint.
  const baseUrl = (wanted["base-url"] ?? (isSame ? before.baseUrl : undefined)) || undefined;
  const key = environment[KEY_NAMES[provider]];
  // Without a key, the Bedrock client looks for other credentials: a profile, a role, keys in the environment.
  const isKeyless = baseUrl !== undefined || provider === "bedrock";
  // The model in the settings belongs to the provider in the settings, or else to the provider whose key is set.
  const ofSettings = provider === (usual ?? byKey) ? preferred.model : undefined;
  const model = wanted.model ?? (isSame ? before.model : (ofSettings ?? MODELS[provider]));
  return {
    provider,
    model,
    keyName: KEY_NAMES[provider],
    baseUrl,
    // Local servers need no key, but the clients refuse to start without one.
    ...(key ? { key } : isKeyless ? { key: NO_KEY } : {}),
  };
}

export const PROVIDERS: readonly ProviderWord[] = ["anthropic", "openai", "openai-chat", "bedrock"];
const KEY_NAMES = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  "openai-chat": "OPENAI_API_KEY",
  bedrock: "AWS_BEARER_TOKEN_BEDROCK",
} as const;
const MODELS = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6-sol",
  "openai-chat": "gpt-6-sol",
  bedrock: "global.anthropic.claude-sonnet-5",
} as const;
const NAMES_IN_LOGS: Readonly<Record<string, ProviderWord>> = {
  anthropic: "anthropic",
  "openai-responses": "openai",
  "openai-chat": "openai-chat",
  bedrock: "bedrock",
};
/** A placeholder where no key is needed. */
export const NO_KEY = "none";

/** The environment variable that contains the provider's key. */
export function keyNameOf(provider: ProviderWord): string {
  return KEY_NAMES[provider];
}

/** The provider's standard model. */
export function standardModel(provider: ProviderWord): string {
  return MODELS[provider];
}

export function noKeyText({ provider, keyName }: ProviderChoice): string {
  return `No API key for ${provider}: the environment variable ${keyName} is not set. Do one of these:

  export ANTHROPIC_API_KEY=...      use a key from console.anthropic.com
  export OPENAI_API_KEY=...         use a key from platform.openai.com
  palimpsest --provider bedrock     use Claude on Amazon Bedrock, with the credentials and the region of the AWS tools
  palimpsest --provider openai-chat --base-url http://127.0.0.1:8080/v1 --model NAME -p "..."
                                    use any server with an OpenAI-compatible API, for example a local one
  palimpsest                        in a terminal: asks for a key, tests it and keeps it
  palimpsest demo                   watch a whole session with a simulated model: no key, no network, no cost`;
}
