import { ProviderError } from "palimpsest";
import { expect, test } from "vitest";
import { providerWords, retryWords } from "./provider-words.ts";

const BODY = '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"r1"}';

test.each([
  [
    new ProviderError("anthropic", { kind: "refused", status: 401 }, `401 ${BODY}`),
    "Anthropic does not accept the API key (401): invalid x-api-key. Set ANTHROPIC_API_KEY to a valid key, and start again.",
  ],
  [
    new ProviderError("anthropic", { kind: "refused", status: 404 }, '404 {"error":{"message":"model: claude-x"}}'),
    "Anthropic has no such model or address (404): model: claude-x. /model lists the models that you can use.",
  ],
  [
    new ProviderError("openai-responses", { kind: "refused", status: 400 }, "400 Unknown field."),
    "OpenAI refused the request (400): Unknown field.",
  ],
  [
    new ProviderError("openai-chat", { kind: "unreachable" }, "Connection error."),
    "Cannot reach the provider: Connection error. Check the network and --base-url, then try again.",
  ],
])("%s", (error, words) => {
  expect(providerWords(error, "terminal")).toBe(words);
});

test("retryWords gives the reason and the time, in one sentence each", () => {
  const message = 'anthropic: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
  expect(retryWords({ reason: "overloaded", message, waitMs: 3_200 })).toBe(
    "The provider is overloaded: Overloaded. Retrying in 4 s.",
  );
  expect(retryWords({ reason: "unreachable", message: "anthropic: Connection error.", waitMs: 1_000 })).toBe(
    "Cannot reach the provider: Connection error. Retrying in 1 s.",
  );
});
