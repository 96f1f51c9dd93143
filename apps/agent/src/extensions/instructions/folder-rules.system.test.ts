import { describe, expect, test } from "vitest";
import type { Agent } from "../../agent/agent.ts";
import { INSTRUCTIONS } from "../../extension/session-head.ts";
import { openOfflineAgent } from "../../testing/offline-agent.ts";
import { settle } from "../../testing/settle.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";

const FILES = {
  "AGENTS.md": "Rules of the project.",
  "src/AGENTS.md": "Rules of src.",
  "src/deep/CLAUDE.md": "Rules of deep.",
  "src/deep/a.ts": "export const a = 1;\n",
  "src/b.ts": "export const b = 1;\n",
  "other/AGENTS.md": "Rules of other.",
  "other/c.ts": "",
};

type Step = readonly [tool: string, input: Readonly<Record<string, unknown>>];

async function opened(files: Readonly<Record<string, string>> = FILES) {
  const project = temporaryProject(files);
  const agent = await openOfflineAgent(project);
  await settle();
  /** Runs calls one after the other, and returns the folders whose rules the model sees. */
  const rulesAfter = async (...steps: readonly Step[]): Promise<readonly string[]> => {
    for (const [name, input] of steps) await run(agent, name, input);
    const texts = agent.session.view.attached(INSTRUCTIONS).join("\n");
    return [...texts.matchAll(/^Rules of (\w+)\.$/gm)].map(([, folder]) => folder!);
  };
  return { project, agent, rulesAfter };
}

async function run(agent: Agent, name: string, input: Step[1]): Promise<void> {
  const tool = agent.tools.find((one) => one.name === name)!;
  const call = { kind: "tool_call", id: "call", name, input } as const;
  await tool.execute(input, { signal: new AbortController().signal, call, key: "call" });
}

describe("a call shows the rules of the folders that it touches, outermost first", () => {
  const DEEP = ["src", "deep"];
  test.each<readonly [string, readonly string[], readonly Step[]]>([
    ["Read of a file", DEEP, [["Read", { file_path: "src/deep/a.ts" }]]],
    ["Read of a missing file", DEEP, [["Read", { file_path: "src/deep/none.ts" }]]],
    ["Write of a new file", DEEP, [["Write", { file_path: "src/deep/new.ts", content: "" }]]],
    ["Write in a new folder", ["src"], [["Write", { file_path: "src/new/folder/a.ts", content: "" }]]],
    ["Edit", ["src"], [["Edit", { file_path: "src/b.ts", old_string: "1", new_string: "2" }]]],
    ["Grep in a folder", DEEP, [["Grep", { pattern: "export", path: "src/deep" }]]],
    ["Grep in a file", ["src"], [["Grep", { pattern: "export", path: "src/b.ts" }]]],
    ["Grep in the project", [], [["Grep", { pattern: "export" }]]],
    ["Glob in a folder", ["src"], [["Glob", { pattern: "*.ts", path: "src" }]]],
    ["Glob with a folder in its pattern", DEEP, [["Glob", { pattern: "src/deep/**/*.ts" }]]],
    ["Glob with a wildcard for the folder", ["src"], [["Glob", { pattern: "src/*/a.ts" }]]],
    ["cat", DEEP, [["Bash", { command: "cat src/deep/a.ts" }]]],
    ["cd", ["src"], [["Bash", { command: "cd src && pwd" }]]],
    ["a command after cd", DEEP, [["Bash", { command: "cd src && cat deep/a.ts" }]]],
    ["a redirection", ["src"], [["Bash", { command: "echo x > src/new.txt" }]]],
    ["a pipe", ["other"], [["Bash", { command: "true | tee other/x | wc -l" }]]],
    ["a wildcard of the shell", ["src"], [["Bash", { command: "ls src/*.ts" }]]],
    ["a command that fails", ["src"], [["Bash", { command: "cat src/none; exit 3" }]]],
    [
      "a command in the folder of the last",
      DEEP,
      [
        ["Bash", { command: "cd src" }],
        ["Bash", { command: "cat deep/a.ts" }],
      ],
    ],
    ["a command without a path", [], [["Bash", { command: "echo src/deep/a.ts" }]]],
    ["an absolute path outside", [], [["Bash", { command: "cat /etc/hostname" }]]],
  ])("%s", async (_, expected, steps) => {
    const { rulesAfter } = await opened();
    expect(await rulesAfter(...steps)).toEqual(expected);
  });
});

test("rules are shown once, and again after they change or leave the view", async () => {
  const { project, agent, rulesAfter } = await opened();
  const before = agent.session.history.newestEntry;
  const read: Step = ["Read", { file_path: "src/b.ts" }];
  expect(
    await rulesAfter(read, ["Bash", { command: "cat src/b.ts" }], ["Grep", { pattern: "b", path: "src" }]),
  ).toEqual(["src"]);
  await settle();
  project.put("src/AGENTS.md", "Rules of changed.");
  expect(await rulesAfter(read)).toEqual(["src", "changed"]);
  await settle();
  await agent.session.history.rewind(before);
  expect(await rulesAfter()).toEqual([]);
  expect(await rulesAfter(["Bash", { command: "wc -l src/b.ts" }])).toEqual(["changed"]);
});

test("parallel calls in one folder show its rules once", async () => {
  const { agent, rulesAfter } = await opened();
  await Promise.all(["src/b.ts", "src/none.ts"].map((file_path) => run(agent, "Read", { file_path })));
  expect(await rulesAfter()).toEqual(["src"]);
});
