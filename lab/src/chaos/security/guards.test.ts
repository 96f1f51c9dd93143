import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withoutGuard } from "./guard.ts";
import { GUARDS } from "./guards.ts";

const root = join(import.meta.dirname, "../../../..");

/** They move with the code: an attack on a guard that cannot be turned off proves nothing. */
test.each(Object.entries(GUARDS))("the guard can be turned off: %s", (_, { edits }) => {
  for (const file of new Set(edits.map((edit) => edit.file))) {
    const text = readFileSync(join(root, file), "utf8");
    const own = edits.filter((edit) => edit.file === file);
    expect(withoutGuard(text, own)).not.toBe(text);
  }
});

test("an edit that does not fit is an error", () => {
  const edit = { file: "a.ts", find: "guard()", replace: "" };
  expect(withoutGuard("guard(); act();", [edit])).toBe("; act();");
  expect(() => withoutGuard("act();", [edit])).toThrow("a.ts: the guard stands there 0 times: guard()");
  expect(() => withoutGuard("guard(); guard();", [edit])).toThrow("2 times");
});
