import { expect, test } from "vitest";
import { readRule } from "./rule.ts";
import { hiddenPatterns } from "./session-sandbox.ts";

const BASE = { folder: "/work/project", home: "/home/user" };

test("what no tool may read is hidden, once, and nothing else", () => {
  const rules = (["deny", "ask", "allow"] as const).flatMap((decision) =>
    [`Read(${decision}.txt)`, `Edit(${decision}.md)`].map((text) => readRule(text, decision, "user")!),
  );
  const more = ["*(.env)", "Read(.env)", "Read", "Read(~/.ssh/)", "Read(/work/project/a)", "Grep(b)"];
  const all = [...rules, ...more.map((text) => readRule(text, "deny", "project")!)];
  expect(hiddenPatterns(all, BASE)).toEqual(["deny.txt", ".env", "/home/user/.ssh", "./a"]);
});
