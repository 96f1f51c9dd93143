// Explains provider errors to people.
import type { ProviderError, QueryEvent } from "palimpsest";
import type { Surface } from "./notice.ts";

type RetryWaiting = Extract<QueryEvent, { readonly kind: "retry-waiting" }>;

const NAMES: Readonly<Record<string, readonly [name: string, key: string]>> = {
  anthropic: ["Anthropic", "ANTHROPIC_API_KEY"],
  "openai-responses": ["OpenAI", "OPENAI_API_KEY"],
  "openai-chat": ["The provider", "OPENAI_API_KEY"],
};

/** Explains why a provider did not answer, and what to do. */
export function providerWords({ provider, failure, message }: ProviderError, surface: Surface): string {
  const [name, key] = NAMES[provider] ?? [provider, "the API key"];
  const ownWords = providerMessage(message);
  const why = ownWords === "" ? "." : `: ${ended(ownWords)}`;
  const elsewhere =
    surface === "terminal" ? "/model lists the models that you can use." : "Choose another with --model.";
  switch (failure.kind) {
    case "refused":
      switch (failure.status) {
        case 401:
          return `${name} does not accept the API key (401)${why} Set ${key} to a valid key, and start again.`;
        case 403:
          return `${name} does not allow this with your API key (403)${why} Check what the key in ${key} may do.`;
        case 404:
          return `${name} has no such model or address (404)${why} ${elsewhere}`;
        default:
          return `${name} refused the request${failure.status === undefined ? "" : ` (${failure.status})`}${why}`;
      }
    case "unreachable":
      return `Cannot reach ${name === "The provider" ? "the provider" : name}${why} Check the network${provider === "anthropic" ? "" : " and --base-url"}, then try again.`;
    case "rate-limited":
      return `${name} limits your requests${why} Wait a little, then ${surface === "terminal" ? "/continue" : "palimpsest --continue"}.`;
    case "overloaded":
      return `${name} is overloaded${why} Try again later: ${surface === "terminal" ? "/continue" : "palimpsest --continue"}.`;
    case "broken-stream":
      return `The connection to ${name === "The provider" ? "the provider" : name} broke${why} To try again: ${surface === "terminal" ? "/continue" : "palimpsest --continue"}.`;
    default:
      return message;
  }
}

const REASONS: Readonly<Record<RetryWaiting["reason"], string>> = {
  "rate-limited": "The provider limits your requests",
  overloaded: "The provider is overloaded",
  "broken-stream": "The connection broke",
  unreachable: "Cannot reach the provider",
  overflow: "The request is too long",
  "media-refused": "The provider rejects an image or a document",
  aborted: "The request was stopped",
  refused: "The provider refused the request",
};

/** Explains why a request failed, and when it is sent again. */
export function retryWords({ reason, message, waitMs }: Pick<RetryWaiting, "reason" | "message" | "waitMs">): string {
  const ownWords = providerMessage(message);
  const why = ownWords === "" ? "." : `: ${ended(ownWords)}`;
  return `${REASONS[reason]}${why} Retrying in ${Math.ceil(waitMs / 1_000)} s.`;
}

/**
 * Extracts the provider's own words from an error message, which contains the provider's name, the status and often a
 * JSON body.
 */
function providerMessage(message: string): string {
  const text = message.replace(/^[\w-]+: /, "").replace(/^\d{3}\b\s*/, "");
  const body = jsonIn(text);
  const inner = body?.["error"];
  const ownWords = [fieldOf(inner, "message"), fieldOf(body, "message"), inner].find((one) => typeof one === "string");
  const words = typeof ownWords === "string" ? ownWords : body === undefined ? text : "";
  return words.replaceAll(/\s+/g, " ").trim();
}

function jsonIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const at = text.indexOf("{");
  if (at < 0) return undefined;
  try {
    return JSON.parse(text.slice(at)) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
