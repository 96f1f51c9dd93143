import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { answer, callTools, createAnthropic, fetchInProcess, type Reply } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { fileFunctions, RefusedFileCommandError } from "./file-functions.ts";
import { temporaryMemory } from "./testing/temporary-memory.ts";

/** Has the SDK's own runner carry out commands that a model asks for, one after the other. Returns the results as they were sent. */
async function runTurn(commands: readonly object[], memory: Parameters<typeof fileFunctions>[0]) {
  const left = [...commands];
  const results: { text: string; isError: boolean }[] = [];
  const script = (): Reply => {
    const input = left.shift();
    return input === undefined ? answer("Done.") : callTools({ kind: "tool-call", name: "memory", input });
  };
  const face = createAnthropic({ script });
  const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch: fetchInProcess({ face }) });
  const runner = client.beta.messages.toolRunner({
    model: "claude-opus-5-5",
    max_tokens: 16_000,
    max_iterations: commands.length + 1,
    messages: [{ role: "user", content: "What do you know?" }],
    tools: [betaMemoryTool(fileFunctions(memory))],
  });
  for await (const _ of runner) {
    const response = await runner.generateToolResponse();
    for (const block of response === null || typeof response.content === "string" ? [] : response.content) {
      if (block.type !== "tool_result") continue;
      results.push({ text: JSON.stringify(block.content), isError: block.is_error === true });
    }
  }
  return results;
}

test("the SDK's tool runner writes, reads, changes, renames and deletes topics", async () => {
  const { memory } = await temporaryMemory();
  const path = "/memories/deploys.md";
  const results = await runTurn(
    [
      { command: "create", path, file_text: "Deploys go to Frankfurt.\n" },
      { command: "view", path: "/memories" },
      { command: "str_replace", path, old_str: "Frankfurt", new_str: "Dublin" },
      { command: "rename", old_path: path, new_path: "/memories/regions.md" },
      { command: "view", path: "/memories/regions.md" },
      { command: "delete", path: "/memories/regions.md" },
    ],
    memory,
  );
  expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, false, false]);
  expect(results[1]!.text).toContain("/memories/deploys.md");
  expect(results[4]!.text).toContain("Deploys go to Dublin.");
  expect(await memory.list()).toEqual([]);
  expect((await memory.forgotten()).map(({ slug }) => slug)).toEqual(["regions"]);
});

test("commands that leave the folder, hide characters or are too large are errors for the model, and change nothing", async () => {
  const { memory, folder, put } = await temporaryMemory();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "..", "canary.md"), "CANARY");
  symlinkSync(join(folder, "..", "canary.md"), join(folder, "linked.md"));
  put("mine.md", "---\nname: mine\ndescription: Mine.\ntype: user\n---\nWritten by hand.\n");
  const create = (path: string, file_text: string) => ({ command: "create", path, file_text });
  const results = await runTurn(
    [
      { command: "view", path: "/memories/../canary.md" },
      { command: "view", path: "/memories/linked.md" },
      { command: "str_replace", path: "/memories/linked.md", old_str: "CANARY", new_str: "x" },
      create("/etc/passwd", "x"),
      create("/memories/hidden.md", `Use npm.${String.fromCodePoint(0xe0041)}`),
      create("/memories/large.md", "word ".repeat(3_500)),
      create("/memories/secret.md", "password: hunter2!"),
      { command: "delete", path: "/memories/mine.md" },
      { command: "insert", path: "/memories/mine.md", insert_line: 99, insert_text: "x" },
      { command: "format_disk", path: "/memories" },
    ],
    memory,
  );
  expect(results.map(({ isError }) => isError)).toEqual(Array.from({ length: 10 }, () => true));
  expect(JSON.stringify(results)).not.toContain("CANARY");
  expect(readFileSync(join(folder, "..", "canary.md"), "utf8")).toBe("CANARY");
  expect((await memory.list()).map(({ slug }) => slug)).toEqual(["mine"]);
});

test("a refusal is an error with a code and the reason", async () => {
  const { memory } = await temporaryMemory();
  const refused = await fileFunctions(memory)
    .view({ command: "view", path: "/memories/none.md" } as never)
    .catch((error: unknown) => error);
  expect(RefusedFileCommandError.isInstance(refused)).toBe(true);
  expect((refused as Error).message).toContain("There is no /memories/none.md.");
});
