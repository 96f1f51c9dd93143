import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTools, type ToolPorts } from "./create-tools.ts";
import { readRule } from "./permissions/rule.ts";
import { DEFAULT_AGENT_SETTINGS } from "./permissions/settings.ts";
import { call, temporaryProject, textOf } from "./testing/temporary-project.ts";
import { createPathGuard } from "./workspace/path-guard.ts";

async function setUp(files: Readonly<Record<string, string>>, more: Partial<ToolPorts> = {}) {
  const project = temporaryProject(files);
  const { folder, home } = project;
  const made = await createTools({
    guard: await createPathGuard(folder),
    settings: { ...DEFAULT_AGENT_SETTINGS, rules: [readRule("Read(.env)", "deny", "user")!] },
    ...{
      home,
      agentHome: join(home, ".palimpsest"),
      sessionFolder: join(home, ".palimpsest/session"),
      environment: process.env,
    },
    shownReads: () => new Map(),
    recall: async () => ({ kind: "nothing-asked" }),
    ...{ mode: () => "default", setMode: () => {} },
    approvePlan: async () => ({ kind: "rejected", comment: "" }),
    ...more,
  });
  onTestFinished(() => made.close());
  const run = async (name: string, input: object, newestEntry = 1) =>
    textOf(await call(made.tools.find((tool) => tool.name === name)!, input, { folder, newestEntry }));
  return { ...project, ...made, run };
}

test("every tool has a name of its own and a schema", async () => {
  const { tools } = await setUp({});
  expect(tools.map(({ name }) => name)).toEqual([
    ...["Read", "Write", "Edit", "Glob", "Grep", "Bash", "BashOutput", "KillBash", "Todo", "AskUser", "Skill"],
    ...["EnterPlan", "ExitPlan", "recall"],
  ]);
  for (const { inputSchema, description } of tools) {
    expect(inputSchema["type"]).toBe("object");
    expect(description.length).toBeGreaterThan(20);
  }
});

test("pages can be fetched only where that is wanted, and the other tools stand as they stood", async () => {
  const [off, on] = [await setUp({}), await setUp({}, { settings: { ...DEFAULT_AGENT_SETTINGS, web: "on" } })];
  const names = off.tools.map(({ name }) => name);
  expect(on.tools.map(({ name }) => name)).toEqual([...names, "WebFetch"]);
});

test("a piece of work: find, read, edit, run, take back", async () => {
  const { run, text, rewindFiles, folder } = await setUp({ "src/sum.sh": "echo $((1 - 1))\n", ".env": "KEY=needle" });
  expect(await run("Grep", { pattern: "1 - 1|needle" })).toBe("src/sum.sh");
  await run("Read", { file_path: "src/sum.sh" }, 10);
  expect(await run("Edit", { file_path: "src/sum.sh", old_string: "1 - 1", new_string: "1 + 1" }, 12)).toBe(
    "Edited src/sum.sh at line 1.",
  );
  expect(await run("Bash", { command: "bash src/sum.sh" })).toBe("2");
  expect(await rewindFiles(11, 15)).toMatchObject({ restored: [join(folder, "src/sum.sh")] });
  expect(text("src/sum.sh")).toBe("echo $((1 - 1))\n");
  // What was taken back is not what the model knows.
  expect(await run("Edit", { file_path: "src/sum.sh", old_string: "1 - 1", new_string: "2" }, 16)).toContain(
    "has changed since",
  );
});
