import { expect, test } from "vitest";
import { describeCall, diffContent, fenced } from "./describe-call.ts";

test("describeCall gives the kind, a title for editors, and the location", () => {
  const titled = (name: string, input: object) => describeCall(name, input, "/p");
  expect(titled("Bash", { command: "npm\ttest\n&& echo \u202edone" })).toMatchObject({
    kind: "execute",
    title: "npm test && echo ⟨U+202E⟩done",
    locations: [],
  });
  expect(titled("Read", { file_path: "a.ts", offset: 7 })).toMatchObject({
    kind: "read",
    title: "Read `a.ts`",
    locations: [{ path: "/p/a.ts", line: 7 }],
  });
  expect(titled("Grep", { pattern: "a`b", path: "/q" })).toMatchObject({
    kind: "search",
    title: "Grep `` a`b ``",
    locations: [{ path: "/q" }],
  });
  expect(titled("Write", { file_path: "*a*.ts", content: "" }).title).toBe("Write *a*.ts");
  expect(titled("mcp__db__query", { sql: "x" })).toMatchObject({ kind: "other", title: "mcp__db__query `sql: x`" });
});

test("diffContent shows a small file whole, and a large file around its change", () => {
  const change = { path: "a.ts", before: undefined, after: "new\n" };
  expect(diffContent(change, "/p")).toEqual({ type: "diff", path: "/p/a.ts", oldText: null, newText: "new\n" });
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`);
  const before = lines.join("\n");
  const after = lines.with(30_000, "changed").toSpliced(30_001, 1).join("\n");
  const shown = diffContent({ path: "a.ts", before, after }, "/p");
  expect(shown).toMatchObject({
    oldText: "line 29997\nline 29998\nline 29999\nline 30000\nline 30001\nline 30002\nline 30003\nline 30004",
    newText: "line 29997\nline 29998\nline 29999\nchanged\nline 30002\nline 30003\nline 30004",
  });
});

test("fenced text cannot leave its code fence", () => {
  expect(fenced("a")).toBe("```text\na\n```");
  expect(fenced("a\n````\n# not a heading")).toBe("`````text\na\n````\n# not a heading\n`````");
});
