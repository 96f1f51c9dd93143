import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";

const CLI = "packages/provider-simulator/src/cli.ts";
let running: ChildProcess | undefined;
afterEach(() => running?.kill());

/** Starts the command and hands back its lines as they come. */
function start(...args: string[]): () => Promise<string> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  running = child;
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return async () => (await lines.next()).value ?? "";
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "x-api-key": "k", authorization: "Bearer k", "anthropic-version": "2026-10-21" },
  });

test("serves all faces on one port and prints every exchange", async () => {
  const line = start();
  const url = (await line()).replace("Anthropic clients: ", "");
  expect(await line()).toBe(`OpenAI clients:    ${url}/v1`);
  const messages = [{ role: "user", content: "Hi" }];
  await post(`${url}/v1/messages`, { model: "claude-opus-5-5", max_tokens: 10, messages });
  expect(await line()).toMatch(/^\/v1\/messages {2}5 tokens in \(0 read, 0 written\), 4 out, \$0\.000100$/);
  await post(`${url}/v1/messages`, { model: "claude-opus-5-5", messages });
  expect(await line()).toBe("/v1/messages  400 max_tokens: Field required");
  await post(`${url}/v1/chat/completions`, { model: "gpt-6-sol", messages });
  expect(await line()).toMatch(/^\/v1\/chat\/completions {2}\d+ tokens in/);
});

test("a compatible server answers for any model", async () => {
  const line = start("--server", "llama.cpp", "--seed", "7");
  const url = (await line()).replace("Anthropic clients: ", "");
  const response = await post(`${url}/v1/chat/completions`, {
    model: "mine",
    messages: [{ role: "user", content: "Hi" }],
  });
  expect(response.status).toBe(200);
});

test.each([
  [["--server", "nobody"], 'Unknown server "nobody". Known servers: '],
  [["--port", "eighty"], "--port must be a whole number, not eighty."],
  [["--colour"], "Unknown option '--colour'"],
])("%j is refused with what is known", (args, message) => {
  const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain(message);
  expect(stderr).toContain("llama.cpp, ");
});
