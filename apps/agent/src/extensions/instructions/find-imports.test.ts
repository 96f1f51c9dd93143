import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../../../../test/processor-ms.ts";
import { findImports, isSurelyPath } from "./read-instruction-files.ts";

test.each([
  ["See @docs/style.md.", ["docs/style.md"]],
  ["@a.md and @./b.md, (@c.md) @../d.md!", ["a.md", "./b.md", "../d.md"]],
  ["- @~/mine.md\n- @/etc/motd", ["~/mine.md", "/etc/motd"]],
  ["@with\\ space.md", ["with space.md"]],
  ["mail me@example.com", []],
  ["`@code.md` and ``a ` @code.md``", []],
  ["```\n@code.md\n```\n@after.md", ["after.md"]],
  ["~~~md\n```\n@code.md\n~~~\n@after.md", ["after.md"]],
  ["@same.md @same.md", ["same.md"]],
])("%j imports %j", (text, paths) => {
  expect(findImports(text)).toEqual(paths);
});

test("isSurelyPath ignores names that may not be paths", () => {
  expect(["someone", "scope/package", "param"].filter(isSurelyPath)).toEqual([]);
  expect(["./x", "../x", "~/x", "/x", "notes.md"].every(isSurelyPath)).toBe(true);
});

test("findImports reads any text in a short time", async () => {
  const piece = fc.constantFrom("@", "`", "``", "```", "~~~", "\n", " ", "\\", "\\ ", ".", "a", "@a.md");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
      expect(findImports(pieces.join("")).length).toBeLessThanOrEqual(100);
    }),
  );
  const usedMs = await processorMs(() => {
    for (const text of ["`".repeat(40_000), "` ".repeat(20_000), "@a ".repeat(13_000), "@\\ ".repeat(13_000)])
      findImports(text);
  });
  expect(usedMs).toBeLessThan(1_000);
});
