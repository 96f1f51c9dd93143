import { expect, test } from "vitest";
import { chooseSearch } from "./web-search.ts";

test("chooses no search without a service", () => {
  expect(chooseSearch(undefined, {})).toEqual({ kind: "none" });
  expect(chooseSearch(undefined, { BRAVE_API_KEY: "", SEARXNG_URL: "" })).toEqual({ kind: "none" });
});

test("chooses a service by its variable, unless the settings name one", () => {
  expect(chooseSearch(undefined, { SEARXNG_URL: "http://127.0.0.1:8080/" })).toEqual({
    kind: "chosen",
    provider: "searxng",
    address: "http://127.0.0.1:8080",
    host: "127.0.0.1",
    key: "",
  });
  const environment = { BRAVE_API_KEY: "b", TAVILY_API_KEY: "t" };
  expect(chooseSearch(undefined, environment)).toMatchObject({ provider: "brave", key: "b" });
  expect(chooseSearch({ provider: "tavily" }, environment)).toMatchObject({ host: "api.tavily.com", key: "t" });
  expect(chooseSearch({ provider: "tavily", key: "own" }, environment)).toMatchObject({ key: "own" });
});

test.each([
  [{ provider: "brave" }, "Brave needs a key: set BRAVE_API_KEY, or search.key."],
  [{ provider: "searxng" }, "SearXNG needs the address of your server: set SEARXNG_URL, or search.url."],
  [
    { provider: "searxng", url: "file:///etc" },
    '"file:///etc" is not an address that begins with https:// or http://.',
  ],
  [{ provider: "brave", key: "k", url: "http://proxy.example" }, "would be sent unencrypted to proxy.example"],
] as const)("what is missing is named: %j", (setting, text) => {
  expect(chooseSearch(setting, {})).toEqual({ kind: "problem", text: expect.stringContaining(text) });
});
