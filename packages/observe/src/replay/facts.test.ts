import { expect, test } from "vitest";
import { createSearch, factsOf } from "./facts.ts";

const scope = { cwd: "/repo" };

test("facts are paths from the working folder, names that nobody would guess, and commands that are not commonplace", () => {
  const text = { kind: "text", text: "See /repo/src/deep/a.ts and ./b/c.go: parseHeader, implementation" } as const;
  expect([...factsOf([text], scope)]).toEqual(["path src/deep/a.ts", "path b/c.go", "name parseHeader"]);
  const command = "cd /repo && mise run lint 2>&1 | tail -20; git status";
  const call = { kind: "tool_call", id: "c", name: "Bash", input: { command } } as const;
  expect([...factsOf([call], scope)]).toEqual(["command mise run lint"]);
});

test("a fact is found in whatever form a text has it", () => {
  const has = createSearch(
    "Files:\n- /repo/src/deep/: a.ts edited #3; b.ts #4\n- make  check -> exit 0 #9\nparseHeaderLine",
  );
  expect(has("path src/deep/b.ts")).toBe(true);
  expect(has("path src/deep/c.ts")).toBe(false);
  expect(has("command make check")).toBe(true);
  expect(has("name parseHeaderLine")).toBe(true);
  expect(has("name parseHeader")).toBe(false);
});
