import { expect, test } from "vitest";
import { chooseProvider, noKeyText } from "./choose-provider.ts";

test("the command line is first, then the session, then the key that there is", () => {
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

test("an endpoint of one's own needs no key, any other does", () => {
  const choice = chooseProvider({ provider: "openai-chat", "base-url": "http://127.0.0.1:1/v1" }, {});
  expect(choice).toMatchObject({ baseUrl: "http://127.0.0.1:1/v1", key: "none" });
  const without = chooseProvider({}, {});
  expect(without.key).toBeUndefined();
  expect(noKeyText(without)).toMatch(/ANTHROPIC_API_KEY[\s\S]*palimpsest demo/);
});

test("Bedrock is chosen by its key, and needs none where it is named: its client finds other credentials", () => {
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

test("a session goes to the endpoint that it went to, unless another is named or the provider is another", () => {
  const before = { provider: "openai-chat", model: "m", baseUrl: "http://127.0.0.1:1/v1" };
  expect(chooseProvider({}, {}, before)).toMatchObject({ baseUrl: "http://127.0.0.1:1/v1", key: "none" });
  expect(chooseProvider({ "base-url": "http://other/v1" }, {}, before).baseUrl).toBe("http://other/v1");
  expect(chooseProvider({ "base-url": "" }, {}, before).baseUrl).toBeUndefined();
  expect(chooseProvider({ provider: "anthropic" }, {}, before).baseUrl).toBeUndefined();
});

test("a provider that is not known is named, with the nearest that is", () => {
  expect(() => chooseProvider({ provider: "antropic" }, {})).toThrow(/one of .* Did you mean anthropic\?/);
});
