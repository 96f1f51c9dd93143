import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../../../../test/processor-ms.ts";
import { goneTitle, nameOf, readTitle, toTitle, versionOf } from "./render-instructions.ts";

const path = fc
  .array(fc.constantFrom("a", "b", " ", "(", ")", ",", "\n", "ü", "#", " (of the project", " (for what lies in "), {
    minLength: 1,
    maxLength: 12,
  })
  .map((characters) => `/${characters.join("")}`);

test("readTitle reads back the title of any path", () => {
  const file = fc.record({
    path,
    folder: path,
    text: fc.string(),
    of: fc.constantFrom("user", "above", "project", "folder"),
    importedBy: fc.option(path, { nil: undefined }),
  });
  fc.assert(
    fc.property(file, ({ importedBy, ...rest }) => {
      const one = { ...rest, of: rest.of as "user", ...(importedBy === undefined ? {} : { importedBy }) };
      expect(readTitle(toTitle(one))).toEqual({
        name: nameOf(one.path),
        version: versionOf(one.text),
        ...(rest.of === "folder" ? { folder: nameOf(one.folder) } : {}),
      });
      expect(readTitle(goneTitle(nameOf(one.path)))).toEqual({ name: nameOf(one.path) });
    }),
  );
});

test("readTitle rejects other lines, and is fast for long lines", async () => {
  for (const line of ["# Style", "# a (of the project)", "text, 12345678)", "## a (of the project, 12345678)"]) {
    expect(readTitle(line)).toBeUndefined();
  }
  const usedMs = await processorMs(() => {
    for (const piece of [" (for what lies in ", ", 1234567", "(((", "# "]) readTitle(`# ${piece.repeat(20_000)}`);
  });
  expect(usedMs).toBeLessThan(500);
});
