import { type AuthMethod, RequestError } from "@agentclientprotocol/sdk";
import type { ProviderChoice } from "../commands/choose-provider.ts";

/** Keys come from the environment, or are those that the user has stored. An editor cannot ask for one: it would go through its logs. */
export const AUTH_METHODS: AuthMethod[] = [
  {
    id: "api-key",
    name: "API key",
    description:
      'Run "palimpsest key set" in a terminal, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or AWS_BEARER_TOKEN_BEDROCK where your editor names this agent ("env"). Then start the agent again.',
  },
];

/** With this error, editors show the ways to sign in. */
export function keyRequired({ provider, keyName }: ProviderChoice): RequestError {
  return new RequestError(
    RequestError.authRequired().code,
    `No API key for ${provider}: ${keyName} is not set, and none is stored. Run "palimpsest key set" in a terminal, or set ${keyName} where your editor names this agent ("env"). Then start the agent again. ` +
      `For a server with an OpenAI-compatible API, which may need no key, add "--provider", "openai-chat", "--base-url", "URL", "--model", "NAME" to its arguments.`,
  );
}
