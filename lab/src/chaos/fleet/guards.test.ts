import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withoutGuard } from "../security/guard.ts";
import { CASES } from "./cases/cases.ts";
import { GUARDS } from "./without-guard.ts";

const root = join(import.meta.dirname, "../../../..");

/** They move with the code: a case that nothing can make fail proves nothing. */
test.each(Object.entries(GUARDS))("the guard can be turned off: %s", (_, { edits }) => {
  for (const edit of edits) {
    const text = readFileSync(join(root, edit.file), "utf8");
    expect(withoutGuard(text, [edit])).not.toBe(text);
  }
});

test("every case has guards, and every guard has a case", () => {
  expect(new Set(CASES.flatMap(({ guards }) => guards))).toEqual(new Set(Object.keys(GUARDS)));
  for (const { name, guards } of CASES) expect(guards.length, name).toBeGreaterThan(0);
});
