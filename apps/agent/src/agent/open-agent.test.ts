import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { memoryStore } from "palimpsest";
import { expect, onTestFinished, test } from "vitest";
import { offline } from "../commands/connect.ts";
import type { Person } from "../extension/person.ts";
import { readRule } from "../permissions/rule.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { placesOf } from "../workspace/places.ts";
import type { AgentOptions } from "./agent.ts";
import { openAgent } from "./open-agent.ts";

async function setUp(files: Readonly<Record<string, string>>, more: Partial<AgentOptions> = {}) {
  const project = temporaryProject(files);
  const { folder, home } = project;
  const places = placesOf(folder, { HOME: home });
  const agent = await openAgent({
    places,
    folder,
    environment: { ...process.env, HOME: home },
    store: memoryStore(),
    provider: await offline("anthropic"),
    model: "claude-sonnet-5-5",
    rules: [readRule("Read(.env)", "deny", "user")!],
    modelFacts: "table",
    ...more,
  });
  onTestFinished(() => agent.close());
  const run = async (name: string, input: object): Promise<string> => {
    const tool = agent.tools.find((one) => one.name === name)!;
    const call = { kind: "tool_call" as const, id: "call", name, input };
    const given = await tool.execute(input, { signal: new AbortController().signal, call, key: "call" });
    const { content } = given as { readonly content: unknown };
    return String(content);
  };
  return { ...project, agent, run };
}

const FIRST = ["Read", "Write", "Edit", "Glob", "Grep", "Bash", "BashOutput", "KillBash", "Todo", "AskUser", "Skill"];
const BEHIND = ["EnterPlan", "ExitPlan", "recall"];
const LAST = ["Memory", "Agent", "SendMessage"];

test("gives each tool a unique name and a schema, in the order of the extensions", async () => {
  const { agent } = await setUp({});
  expect(agent.tools.map(({ name }) => name)).toEqual([...FIRST, ...BEHIND, ...LAST]);
  for (const { inputSchema, description } of agent.tools) {
    expect((inputSchema as { readonly type?: string }).type).toBe("object");
    expect(description.length).toBeGreaterThan(20);
  }
});

test("offers WebFetch only if the user wants it, without moving other tools", async () => {
  const { agent } = await setUp({}, { web: "on" });
  expect(agent.tools.map(({ name }) => name)).toEqual([...FIRST, ...BEHIND, "WebFetch", ...LAST]);
});

test("offers WebSearch only with a search service, without moving other tools", async () => {
  const environment = { ...process.env, SEARXNG_URL: "", TAVILY_API_KEY: "", BRAVE_API_KEY: "key" };
  const { agent } = await setUp({}, { environment });
  expect(agent.tools.map(({ name }) => name)).toEqual([...FIRST, ...BEHIND, "WebSearch", ...LAST]);
  const session = await setUp({}, { environment: { ...environment, BRAVE_API_KEY: "" } });
  expect(session.agent.tools.map(({ name }) => name)).not.toContain("WebSearch");
});

test("offers the tool that proposes a compaction only if the setting is on, without moving other tools", async () => {
  const { agent } = await setUp({}, { engine: { compactTool: "on" } });
  expect(agent.tools.map(({ name }) => name)).toEqual([...FIRST, ...BEHIND, "compact", ...LAST]);
});

test("keeps the prompt warm for a person, and compacts later then", async () => {
  const person = {} as Person;
  const sizes = async (options: Partial<AgentOptions>) => {
    const { session } = (await setUp({}, options)).agent;
    return [session.settings().settings.keepWarm, session.view.size().compaction];
  };
  const late = { atTokens: 130_000, withinTurnAtTokens: 167_000 };
  const early = { atTokens: 100_000, withinTurnAtTokens: 150_000 };
  expect(await sizes({ person })).toMatchObject(["on", late]);
  // Nobody comes back after a run with -p.
  expect(await sizes({})).toMatchObject(["on", early]);
  expect(await sizes({ person, engine: { keepWarm: "off" } })).toMatchObject(["off", early]);
});

test("finds, reads, edits and runs a file", async () => {
  const { run, text, put } = await setUp({ "src/sum.sh": "echo $((1 - 1))\n", ".env": "KEY=needle" });
  expect(await run("Grep", { pattern: "1 - 1|needle" })).toBe("src/sum.sh");
  await run("Read", { file_path: "src/sum.sh" });
  expect(await run("Edit", { file_path: "src/sum.sh", old_string: "1 - 1", new_string: "1 + 1" })).toBe(
    "Edited src/sum.sh at line 1.",
  );
  expect(await run("Bash", { command: "bash src/sum.sh" })).toBe("2");
  put("src/sum.sh", "echo 3\n");
  // The model does not know a change by another program.
  expect(await run("Edit", { file_path: "src/sum.sh", old_string: "3", new_string: "4" })).toContain(
    "has changed since",
  );
  expect(text("src/sum.sh")).toBe("echo 3\n");
});

test("closes opened resources if the session cannot be opened", async () => {
  const project = temporaryProject();
  const places = placesOf(project.folder, { HOME: project.home });
  mkdirSync(places.agentHome, { recursive: true });
  writeFileSync(join(places.agentHome, "settings.json"), JSON.stringify({ memory: "on" }));
  const store = memoryStore();
  const provider = await offline("anthropic");
  const options: AgentOptions = {
    places,
    folder: project.folder,
    environment: { HOME: project.home },
    store: { ...store, openWriter: () => Promise.reject(new Error("The disk is full.")) } as never,
    provider,
    model: "claude-sonnet-5-5",
    rules: [],
    modelFacts: "table",
  };
  await expect(openAgent(options)).rejects.toThrow("The disk is full.");
});
