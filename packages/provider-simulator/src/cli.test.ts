import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, onTestFinished, test } from "vitest";

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
  expect(await line()).toBe(`Gemini clients:    ${url}`);
  expect(await line()).toBe(`Bedrock clients:   ${url}`);
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

test("answers as a script says, on every face", async () => {
  const folder = mkdtempSync(join(tmpdir(), "simulator-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "script.mjs");
  writeFileSync(file, "export default async ({ turn, provider }) => provider + ' ' + turn;");
  const line = start("--script", file);
  const url = (await line()).replace("Anthropic clients: ", "");
  const messages = [{ role: "user", content: "Hi" }];
  const said = await Promise.all(
    [0, 1].map(async () =>
      (await post(`${url}/v1/messages`, { model: "claude-opus-5-5", max_tokens: 50, messages })).json(),
    ),
  );
  expect(said.map((message) => (message as { content: { text: string }[] }).content[0]?.text).sort()).toEqual([
    "anthropic-messages 0",
    "anthropic-messages 1",
  ]);
  const chat = await (await post(`${url}/v1/chat/completions`, { model: "gpt-6-sol", messages })).json();
  expect(chat).toMatchObject({ choices: [{ message: { content: "openai-chat 0" } }] });
});

test.each([
  [
    ["--host", "0.0.0.0"],
    "--host 0.0.0.0 needs a token, because other machines can reach it. Set PROVIDER_SIMULATOR_TOKEN.",
  ],
  [["--script", "missing.json"], "Cannot use the script missing.json: ENOENT"],
  [["--server", "nobody"], 'Unknown server "nobody". Known servers: '],
  [["--port", "eighty"], "--port must be a whole number, not eighty."],
  [["--colour"], "Unknown option '--colour'"],
])("%j is refused with what is known", (args, message) => {
  const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain(message);
  expect(stderr).toContain("llama.cpp, ");
});
