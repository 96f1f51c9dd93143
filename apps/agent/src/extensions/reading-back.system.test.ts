import { type Ask, answer, callTool, callTools, summarize } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, toolResult } from "palimpsest";
import { expect, test } from "vitest";
import { offline } from "../commands/connect.ts";
import { startCli } from "../testing/run-cli.ts";
import { sentRequests } from "../testing/sent-requests.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { readUsedSkills } from "./skills/skills-extension.ts";
import { readTodos } from "./todos/todos-extension.ts";

async function opened() {
  const store = memoryStore();
  const session = await openSession({ store, provider: await offline("anthropic"), model: "claude-sonnet-5-5" });
  let calls = 0;
  const call = async (name: string, input: unknown, result: string, status: "ok" | "error" = "ok", id?: string) => {
    const callId = id ?? `call-${calls++}`;
    await session.append([
      { role: "assistant", origin: "model", blocks: [{ kind: "tool_call", id: callId, name, input }] },
      toolResult(callId, result, status),
    ]);
  };
  return {
    session,
    call,
    todos: () => readTodos(store, session.id),
    skills: () => readUsedSkills(store, session.id),
  };
}

test("reads the newest valid todo list, unless all its steps are done", async () => {
  const { call, todos } = await opened();
  expect(await todos()).toBeUndefined();
  await call("Todo", {}, "[ ] one");
  await call("Todo", {}, "todos is missing", "error");
  await call("Read", {}, "[ ] no list");
  expect(await todos()).toBe("[ ] one");
  await call("Todo", {}, "Nothing is left to do.");
  expect(await todos()).toBeUndefined();
});

test("reads each used skill once, newest first, from any distance", async () => {
  const { call, skills } = await opened();
  await call("Skill", { skill: "review" }, "Read it once.", "ok", "same");
  await call("Skill", { skill: "release" }, "Tag.", "ok", "same");
  await call("Skill", { skill: "review" }, "Read it twice.", "ok", "same");
  await call("Skill", { skill: "none" }, "There is no skill.", "error", "same");
  for (let round = 0; round < 600; round++) await call("Read", {}, "text");
  expect(await skills()).toEqual([
    { name: "review", text: "Read it twice." },
    { name: "release", text: "Tag." },
  ]);
});

test("ignores calls that were rewound", async () => {
  const { session, call, todos, skills } = await opened();
  await call("Todo", {}, "[ ] one");
  const point = session.history.newestEntry;
  await call("Todo", {}, "[ ] two");
  await call("Skill", { skill: "review" }, "Read it.");
  await session.history.rewind(point);
  await session.append("Another way.");
  expect({ todos: await todos(), skills: await skills() }).toEqual({ todos: "[ ] one", skills: [] });
});

test("a compaction by another process rehydrates the todo list and the used skills", async () => {
  const project = temporaryProject({
    "a.txt": "line of text\n".repeat(1_500),
    ".palimpsest/skills/review.md": "---\ndescription: How to review.\n---\nRead it twice.",
  });
  const summary = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(
    (number) => `## ${number}. Section\nA file was read, and all of it was well.`,
  );
  const todos = [
    { content: "read", state: "done" },
    { content: "write it all down", state: "open" },
  ];
  const think = ({ purpose, userText, toolResults }: Ask) => {
    if (purpose === "summary") return summarize(summary.join("\n"));
    if (toolResults.length > 0 || !userText.includes("Begin")) return answer("Fine.");
    return callTools(
      callTool("Todo", { todos }),
      callTool("Skill", { skill: "review" }),
      callTool("Read", { file_path: "a.txt" }),
    );
  };
  const cli = await startCli(project, think);
  for (const args of [
    ["-p", "Begin"],
    ["sessions", "compact"],
    ["-c", "-p", "Go on"],
  ]) {
    const { code, said } = await cli.run(args);
    expect({ args, code, said }).toMatchObject({ code: 0 });
  }
  const said = sentRequests(cli).at(-1)!.texts.join("\n");
  expect(said).toContain("[x] read\n[ ] write it all down");
  expect(said).toMatch(/Skill review:[\s\S]*Read it twice\./);
  expect(cli.refused()).toEqual([]);
});
