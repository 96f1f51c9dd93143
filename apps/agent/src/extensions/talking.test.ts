import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { memoryStore } from "palimpsest";
import { recall } from "palimpsest/inspect";
import { describe, expect, test } from "vitest";
import type { PlanAnswer, Question } from "../extension/person.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { FindUnseen } from "../permissions/unseen-file.ts";
import { call, temporaryProject, textOf } from "../testing/temporary-project.ts";
import { planTools } from "./plan/plan-extension.ts";
import { askUserTool } from "./questions/questions-extension.ts";
import { recallTool } from "./recall/recall-extension.ts";
import { findSkills, skillTool } from "./skills/skills-extension.ts";
import { todoTool } from "./todos/todos-extension.ts";

const folder = "/";

test("Todo returns the whole list", async () => {
  const tool = todoTool();
  const todos = [
    { content: "read", state: "done" },
    { content: "write", state: "doing" },
    { content: "test", state: "open" },
  ];
  expect(await textOf(await call(tool, { todos }, { folder }))).toBe("[x] read\n[>] write\n[ ] test");
  const allDone = [{ content: "read", state: "done" }];
  expect(await textOf(await call(tool, { todos: allDone }, { folder }))).toBe("Nothing is left to do.");
  expect((await call(tool, { todos: [{ content: "x", state: "later" }] }, { folder })).status).toBe("error");
});

test("AskUser asks the person, and says so if there is none", async () => {
  const asked: Question[] = [];
  const tool = askUserTool(async (question) => {
    asked.push(question);
    return asked.length === 1 ? ["blue", "green"] : undefined;
  });
  const input = {
    question: "Which?",
    options: [{ label: "blue" }, { label: "green", description: "like grass" }],
    several: true,
  };
  expect(await textOf(await call(tool, input, { folder }))).toBe("The user's answer: blue; green");
  expect(asked).toEqual([
    { question: "Which?", options: [{ label: "blue", description: undefined }, input.options[1]], choose: "several" },
  ]);
  expect(await textOf(await call(tool, input, { folder }))).toContain("did not answer");
  expect((await call(askUserTool(undefined), input, { folder })).status).toBe("error");
});

test("plan mode ends only with the user's approval", async () => {
  let mode: PermissionMode = "default";
  const answers: PlanAnswer[] = [
    { kind: "rejected", comment: "Smaller." },
    { kind: "approved", mode: "accept-edits" },
  ];
  const [enter, exit] = planTools({
    mode: () => mode,
    setMode: (wanted) => {
      mode = wanted;
    },
    approvePlan: async () => answers.shift()!,
  });
  expect((await call(exit!, { plan: "x" }, { folder })).status).toBe("error");
  await call(enter!, {}, { folder });
  expect(mode).toBe("plan");
  expect(await textOf(await call(exit!, { plan: "All." }, { folder }))).toContain("not approved the plan: Smaller.");
  expect(mode).toBe("plan");
  expect(await textOf(await call(exit!, { plan: "Less." }, { folder }))).toContain("Begin.\n\nLess.");
  expect(mode).toBe("accept-edits");
});

test("recall reads the session's log", async () => {
  const opened = await memoryStore().openWriter("s", { owner: "test" });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  const tool = recallTool((request) => recall(request, { log: opened.writer, session: "s" }));
  expect(tool.name).toBe("recall");
  expect(await textOf(await call(tool, { entry: "3" }, { folder }))).toBe("There is no entry 3. The newest is 0.");
});

describe("skills", () => {
  function setUp() {
    const { base, put } = temporaryProject({
      ".palimpsest/skills/release.md":
        "---\nname: release\ndescription: 'How to release.'\n---\n\nTag, then publish.\n",
      ".palimpsest/skills/review/SKILL.md": "---\ndescription: How to review.\n---\nRead it twice.",
      ".palimpsest/skills/nameless.md": "No head.",
      ".palimpsest/skills/bad.md": "---\nname: ../../etc\ndescription: x\n---\n",
    });
    put("../home/.palimpsest/skills/release.md", "---\ndescription: The user's.\n---\nMine.");
    put("../home/.palimpsest/skills/own.md", "---\ndescription: Own.\n---\nOwn.");
    put("../secret.md", "---\ndescription: Secret.\n---\nSECRET");
    const project = join(base, "project/.palimpsest/skills");
    symlinkSync(join(base, "secret.md"), join(project, "secret.md"));
    mkdirSync(join(project, "empty"));
    const folders = [
      { path: join(base, "home/.palimpsest/skills"), of: "user" },
      { path: project, of: "project" },
      { path: join(base, "nowhere"), of: "project" },
    ] as const;
    return { project, folders };
  }

  test("are found by their frontmatter but not through links, and the user's take precedence", async () => {
    const { skills, problems } = await findSkills(setUp().folders);
    expect(skills.map(({ name, description, of }) => [name, description, of])).toEqual([
      ["own", "Own.", "user"],
      ["release", "The user's.", "user"],
      ["review", "How to review.", "project"],
    ]);
    expect(problems).toEqual([
      expect.stringMatching(
        /^The skill release in .*project.*release\.md is not used: .*home.*release\.md has the same name\.$/,
      ),
    ]);
  });

  test("are not used after a command's change until the user reviews them", async () => {
    const { folders, project } = setUp();
    const held: FindUnseen = async (file) => (file.path.includes("review") ? { ...file, hash: "x" } : undefined);
    const { skills, problems } = await findSkills(folders, held);
    expect(skills.map(({ name }) => name)).toEqual(["own", "release"]);
    expect(problems).toContain(
      `${project}/review/SKILL.md does not count: a command has changed it since you saw it. To review it: palimpsest trust`,
    );
    const tool = skillTool((await findSkills(folders)).skills, held);
    expect(await call(tool, { skill: "review" }, { folder })).toMatchObject({ status: "error" });
  });

  test("are read at each use", async () => {
    const { folders, project } = setUp();
    const tool = skillTool((await findSkills(folders)).skills);
    expect(tool.description).toContain("- release: The user's.");
    expect(tool.description).toContain(
      '- review: <marked-data from="project" name="skills">\nHow to review.\n</marked-data>',
    );
    expect(await textOf(await call(tool, { skill: "review", arguments: "a.ts" }, { folder }))).toBe(
      `Skill review, its files are in ${project}/review. To be used on: a.ts\n\nRead it twice.`,
    );
    writeFileSync(join(project, "review/SKILL.md"), "---\ndescription: x\n---\nOnly tag.");
    expect(await textOf(await call(tool, { skill: "review" }, { folder }))).toContain("Only tag.");
    expect(await textOf(await call(tool, { skill: "x" }, { folder }))).toBe(
      'There is no skill "x". There are: own, release, review.',
    );
  });
});
