import { expect, test } from "vitest";
import { readAgentDefinition } from "./agent-definition.ts";

const read = (head: string, body = "You review.") =>
  readAgentDefinition(`---\n${head}\n---\n\n${body}\n`, "from-the-file");
const HEAD = "name: reviewer\ndescription: Reviews a change.";

test("a definition has its fields from the head and its prompt from the text below", () => {
  const found = read(
    `${HEAD}\ntools: Read, Grep\nmodel: claude-haiku-5\nmemory: project\ncolor: blue`,
    "Line 1.\n\nLine 2.",
  );
  expect(found).toEqual({
    kind: "definition",
    definition: {
      name: "reviewer",
      description: "Reviews a change.",
      prompt: "Line 1.\n\nLine 2.",
      tools: ["Read", "Grep"],
      model: "claude-haiku-5",
      memory: "project",
    },
  });
});

test.each([
  ["tools:\n  - Read\n  - Grep", ["Read", "Grep"]],
  ['tools: ["Read", Grep]', ["Read", "Grep"]],
  ["tools: read-only", "read-only"],
  // A limit that was written and says nothing is not "all".
  ["tools:", []],
  ["tools: []", []],
  ["model: inherit", undefined],
])("%j limits its tools to %j", (line, tools) => {
  const found = read(`${HEAD}\n${line}`);
  expect(found.kind === "definition" && found.definition.tools).toEqual(tools);
});

test("the file's name is its name, if the head has none", () => {
  expect(read("description: Reviews.")).toMatchObject({ definition: { name: "from-the-file" } });
});

test.each([
  ["name: ../etc\ndescription: x", "is no name"],
  ["name: reviewer", "no description"],
  [`${HEAD}\nmemory: everywhere`, "memory is one of user, project, local"],
])("%j is invalid", (head, why) => {
  expect(read(head)).toMatchObject({ kind: "invalid", why: expect.stringContaining(why) });
});

test("one without a text is invalid", () => {
  expect(read(HEAD, " ")).toMatchObject({ kind: "invalid", why: expect.stringContaining("system prompt") });
});
