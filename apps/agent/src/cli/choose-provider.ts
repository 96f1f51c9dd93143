import type { UsedBefore } from "../workspace/stored-sessions.ts";
import { oneOf } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

export type ProviderWord = "anthropic" | "openai" | "openai-chat";

export interface WantedProvider {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly "base-url"?: string | undefined;
}

export interface ProviderChoice {
  readonly provider: ProviderWord;
  readonly model: string;
  readonly baseUrl?: string;
  /** Undefined: there is none. */
  readonly key?: string;
  /** The variable that it comes from. */
  readonly keyName: string;
}

export const PROVIDERS: readonly ProviderWord[] = ["anthropic", "openai", "openai-chat"];
const KEY_NAMES = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  "openai-chat": "OPENAI_API_KEY",
} as const;
const MODELS = { anthropic: "claude-sonnet-5-5", openai: "gpt-6-sol", "openai-chat": "gpt-6-sol" } as const;
const NAMES_IN_LOGS: Readonly<Record<string, ProviderWord>> = {
  anthropic: "anthropic",
  "openai-responses": "openai",
  "openai-chat": "openai-chat",
};

/** Who is asked: as the command line says, else as the session was before, else by the key that there is. */
export function chooseProvider(
  wanted: WantedProvider,
  environment: Terminal["environment"],
  before?: UsedBefore,
): ProviderChoice {
  const earlier = before && NAMES_IN_LOGS[before.provider];
  const byKey = PROVIDERS.find((word) => environment[KEY_NAMES[word]]) ?? "anthropic";
  const provider = oneOf("--provider", wanted.provider, PROVIDERS) ?? earlier ?? byKey;
  const isSame = before !== undefined && provider === earlier;
  // An empty one is the provider's own endpoint.
  const baseUrl = (wanted["base-url"] ?? (isSame ? before.baseUrl : undefined)) || undefined;
  const key = environment[KEY_NAMES[provider]];
  const model = wanted.model ?? (isSame ? before.model : MODELS[provider]);
  return {
    provider,
    model,
    keyName: KEY_NAMES[provider],
    ...(baseUrl === undefined ? {} : { baseUrl }),
    // Servers on one's own machine want none, and clients refuse to be without.
    ...(key ? { key } : baseUrl === undefined ? {} : { key: "none" }),
  };
}

export function noKeyText({ provider, keyName }: ProviderChoice): string {
  return `There is no key for ${provider}: the environment has no ${keyName}. Do one of these:

  export ANTHROPIC_API_KEY=...      a key of console.anthropic.com
  export OPENAI_API_KEY=...         a key of platform.openai.com
  palimpsest --provider openai-chat --base-url http://127.0.0.1:8080/v1 --model NAME -p "..."
                                    any server that speaks the API of OpenAI, also one on this machine
  palimpsest demo                   a whole session against a built-in simulator: no key, no network, no cost`;
}
