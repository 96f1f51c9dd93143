import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../testing/temporary-project.ts";
import type { ProviderChoice } from "./choose-provider.ts";
import { rememberEndpoint, withEndpoint } from "./connect-chosen.ts";

const used = { provider: "openai-chat", model: "m" };
const choice = (baseUrl?: string): ProviderChoice => ({
  provider: "openai-chat",
  model: "m",
  key: "sk-secret",
  keyName: "OPENAI_API_KEY",
  ...(baseUrl === undefined ? {} : { baseUrl }),
});

test("stores an endpoint for this user only, without a key, until another is used", async () => {
  const folder = join(temporaryProject().home, "session");
  expect(await withEndpoint(used, folder)).toEqual(used);
  expect(await rememberEndpoint(folder, choice("http://127.0.0.1:8080/v1"))).toBe("kept");
  const path = join(folder, "endpoint.json");
  expect(readFileSync(path, "utf8")).not.toContain("secret");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await withEndpoint(used, folder)).toEqual({ ...used, baseUrl: "http://127.0.0.1:8080/v1" });
  await rememberEndpoint(folder, choice());
  expect(await withEndpoint(used, folder)).toEqual(used);
  writeFileSync(path, "{");
  expect(await withEndpoint(used, folder)).toEqual(used);
});

test.each(["http://user:pass@host/v1", "https://host/v1?api-key=1"])("does not store %s", async (url) => {
  const folder = join(temporaryProject().home, "session");
  expect(await rememberEndpoint(folder, choice(url))).toBe("secret");
  expect(await withEndpoint(used, folder)).toEqual(used);
});
