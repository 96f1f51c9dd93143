import { expect, test } from "vitest";
import { processorMs } from "../../../../../test/processor-ms.ts";
import { namedPaths, renamePaths } from "./paths.ts";

const pathsIn = (text: string): string[] => namedPaths(text).map(({ path }) => path);

test.each<[string, string[]]>([
  ["see `src/a.ts`, (./b/c.test.ts) and /etc/hosts.", ["src/a.ts", "./b/c.test.ts", "/etc/hosts"]],
  ["at src/a.ts:12:3 and src/b.ts#L4", ["src/a.ts", "src/b.ts"]],
  ["~/work/notes.md, ../up.py, C:\\Users\\me\\x.txt", ["~/work/notes.md", "../up.py", "C:\\Users\\me\\x.txt"]],
  ["docs/größe.md und 文档/说明.md", ["docs/größe.md", "文档/说明.md"]],
  ["and/or, TCP/IP, 3/4, read/write, /compact, @scope/name", []],
  ["index.ts, node.js, e.g. this, console.log", []],
  ["https://example.org/a/b.ts and git@host.org:a/b.ts", []],
  ["src/**/*.ts, src/{a,b}.ts, {root}/x.ts, src/<name>/x.ts", []],
])("%s", (text, paths) => expect(pathsIn(text)).toEqual(paths));

test("each naming is renamed where it stands", () =>
  expect(renamePaths("a/b.ts, x/a/b.ts, a/b.ts", (path) => (path === "a/b.ts" ? "c/d.ts" : path))).toBe(
    "c/d.ts, x/a/b.ts, c/d.ts",
  ));

test("a long word takes no long time", async () => {
  const word = "a".repeat(200_000);
  const usedMs = await processorMs(() => {
    expect(pathsIn(`${word} ${"a/".repeat(50_000)} ${".".repeat(50_000)}`)).toEqual([]);
  });
  expect(usedMs).toBeLessThan(2_000);
});
