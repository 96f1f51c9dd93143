import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface PlantedBug {
  readonly id: string;
  readonly bug: string;
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
  /** The test that fails with it, as far as it is known. */
  readonly test?: string;
}

const root = join(import.meta.dirname, "../..");
const { bugs } = JSON.parse(readFileSync(join(import.meta.dirname, "bugs.json"), "utf8")) as {
  readonly bugs: readonly PlantedBug[];
};

/** Bugs that were once planted to see whether the tests find them. They move with the code, so that it can be seen again. */
test.each(bugs)("$id can be planted: $bug", ({ edits, test: caughtBy }) => {
  for (const { file, find, replace } of edits) {
    expect(readFileSync(join(root, file), "utf8").split(find), `${file}: ${find}`).toHaveLength(2);
    expect(replace).not.toBe(find);
  }
  if (caughtBy !== undefined) expect(existsSync(join(root, caughtBy)), caughtBy).toBe(true);
});
