import { expect, test } from "vitest";
import { fitsCommand, fitsTool, readRule, ruleText } from "./rule.ts";

test("a rule names a tool, and perhaps what of it", () => {
  // Without a pattern there is no such field: it would be one that fits nothing.
  expect(Object.keys(readRule("Bash", "deny", "user")!)).not.toContain("pattern");
  expect(readRule(" mcp__a-b__* ", "ask", "project")).toEqual({
    decision: "ask",
    tool: "mcp__a-b__*",
    from: "project",
  });
  expect(readRule("Bash(a (b)\nc)", "allow", "local")).toMatchObject({ tool: "Bash", pattern: "a (b)\nc" });
  for (const text of ["", "()", "Bash()", "Bash(a", "Bash a", "(a)", "Bash(a) b", "a.b"])
    expect([text, readRule(text, "deny", "user")]).toEqual([text, undefined]);
  const sized = (length: number) => readRule(`Bash(${"x".repeat(length - 6)})`, "deny", "user");
  expect([sized(1_000) === undefined, sized(1_001) === undefined]).toEqual([false, true]);
});

test("a rule is told as it is written, with what it decides and whose it is", () => {
  expect(ruleText(readRule("Bash(rm *)", "deny", "command line")!)).toBe("deny Bash(rm *) (command line)");
  expect(ruleText(readRule("Network", "ask", "session")!)).toBe("ask Network (session)");
});

test.each([
  ["npm test *", "npm test", true],
  ["npm test *", "npm \t test  a", true],
  ["npm test *", "npm tests", false],
  ["npm test", "npm test a", false],
  ["*", "anything", true],
  ["* --force *", "git push --force a", true],
  ["rm *", "rm a\nb", true],
  ["rm", "RM", false],
])("%j and the command %j", (pattern, command, fits) => {
  expect(fitsCommand(pattern, command)).toBe(fits);
});

test.each([
  ["Edit", ["Edit", "Write", "MultiEdit", "NotebookEdit"], ["Read", "Bash", "EditX"]],
  ["Write", ["Edit", "Write", "MultiEdit", "NotebookEdit"], ["Read"]],
  ["MultiEdit", ["Edit", "Write"], ["Read"]],
  ["NotebookEdit", ["Edit", "Write"], ["Read"]],
  ["Read", ["Read", "Grep", "Glob", "NotebookRead"], ["Edit", "Bash"]],
  ["Grep", ["Grep"], ["Read", "Glob"]],
  ["Glob", ["Glob"], ["Read", "Grep"]],
  ["mcp__a__*", ["mcp__a__b"], ["mcp__ab__c", "Bash"]],
  ["*", ["Bash", "Edit", "Read"], []],
])("a rule for %s is one for %j, and not for %j", (pattern, tools, others) => {
  for (const tool of tools) expect([tool, fitsTool(pattern, tool)]).toEqual([tool, true]);
  for (const tool of others) expect([tool, fitsTool(pattern, tool)]).toEqual([tool, false]);
});
