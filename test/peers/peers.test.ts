import { globSync, readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { OLDEST_PEERS, TESTS_OF_PEERS } from "./oldest-peers.ts";

const root = new URL("../../", import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, root), "utf8"));

/** In the project "oldest peers" of vitest.config.ts, the name under which the oldest release is installed. */
const installedAs = (name: string): string => (process.env["PEERS"] === "oldest" ? OLDEST_PEERS[name]! : name);

describe("the tests of peers run with the releases that are meant", () => {
  test.each([
    ["@anthropic-ai/sdk", (fetch: typeof globalThis.fetch) => new Anthropic({ apiKey: "none", fetch }).models.list()],
    ["openai", (fetch: typeof globalThis.fetch) => new OpenAI({ apiKey: "none", fetch }).models.list()],
  ] as const)("%s", async (name, call) => {
    let userAgent: string | null = null;
    await call(async (_url, init) => {
      userAgent = new Headers(init?.headers).get("user-agent");
      return Response.json({ data: [] });
    });
    expect(userAgent).toMatch(new RegExp(`/JS ${readJson(`node_modules/${installedAs(name)}/package.json`).version}$`));
  });
});

test("the range of each peer begins with the oldest release that is tested", () => {
  const folders = ["packages/palimpsest", "adapters/ai-sdk", "adapters/langchain", "adapters/openai-agents"];
  const manifests = folders.map((folder) => readJson(`${folder}/package.json`));
  const peerDependencies = Object.assign({}, ...manifests.map((manifest) => manifest.peerDependencies));
  const { devDependencies } = readJson("package.json");
  for (const [name, range] of Object.entries<string>(peerDependencies)) {
    const oldest = /\d+\.\d+\.\d+/.exec(range)?.[0];
    expect(devDependencies[OLDEST_PEERS[name] ?? ""], `oldest ${name}`).toBe(`npm:${name}@${oldest}`);
  }
});

test("every pattern of tests of peers matches tests", () => {
  for (const pattern of TESTS_OF_PEERS) expect(globSync(pattern, { cwd: root }), pattern).not.toEqual([]);
});
