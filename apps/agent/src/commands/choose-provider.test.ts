import { expect, test } from "vitest";
import { chooseProvider, noKeyText } from "./choose-provider.ts";

test("prefers the command line, then the session, then the available key", () => {
  const both = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" };
  expect(chooseProvider({}, both)).toMatchObject({ provider: "anthropic", key: "a" });
  expect(chooseProvider({}, { OPENAI_API_KEY: "o" })).toMatchObject({ provider: "openai", key: "o" });
  const before = { provider: "openai-responses", model: "gpt-6-luna" };
  expect(chooseProvider({}, both, before)).toMatchObject({ provider: "openai", model: "gpt-6-luna" });
  expect(chooseProvider({ provider: "anthropic" }, both, before)).toMatchObject({ model: "claude-sonnet-5-5" });
  expect(chooseProvider({ model: "gpt-6-sol" }, both, before)).toMatchObject({
    provider: "openai",
    model: "gpt-6-sol",
  });
});

test("requires a key except for a custom endpoint", () => {
  const choice = chooseProvider({ provider: "openai-chat", "base-url": "http://127.0.0.1:1/v1" }, {});
  expect(choice).toMatchObject({ baseUrl: "http://127.0.0.1:1/v1", key: "none" });
  const without = chooseProvider({}, {});
  expect(without.key).toBeUndefined();
  expect(noKeyText(without)).toMatch(/ANTHROPIC_API_KEY[\s\S]*palimpsest demo/);
});

test("chooses Bedrock by its key, or by name without a key", () => {
  const key = { AWS_BEARER_TOKEN_BEDROCK: "k" };
  expect(chooseProvider({}, key)).toMatchObject({
    provider: "bedrock",
    key: "k",
    model: "global.anthropic.claude-sonnet-5",
  });
  expect(chooseProvider({}, { ...key, ANTHROPIC_API_KEY: "a" }).provider).toBe("anthropic");
  expect(chooseProvider({ provider: "bedrock" }, {})).toMatchObject({ key: "none" });
  const before = { provider: "bedrock", model: "us.anthropic.claude-opus-5-5" };
  expect(chooseProvider({}, { ANTHROPIC_API_KEY: "a" }, before)).toMatchObject(before);
});

test("keeps the endpoint of a session unless the endpoint or the provider changes", () => {
  const before = { provider: "openai-chat", model: "m", baseUrl: "http://127.0.0.1:1/v1" };
  expect(chooseProvider({}, {}, before)).toMatchObject({ baseUrl: "http://127.0.0.1:1/v1", key: "none" });
  expect(chooseProvider({ "base-url": "http://other/v1" }, {}, before).baseUrl).toBe("http://other/v1");
  expect(chooseProvider({ "base-url": "" }, {}, before).baseUrl).toBeUndefined();
  expect(chooseProvider({ provider: "anthropic" }, {}, before).baseUrl).toBeUndefined();
});

test("names an unknown provider, with the closest known one", () => {
  expect(() => chooseProvider({ provider: "antropic" }, {})).toThrow(/one of .* Did you mean anthropic\?/);
});
