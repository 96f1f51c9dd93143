import { expect, test } from "vitest";
import { createNearTests } from "./near-tests.ts";

const near = createNearTests({
  folder: "packages/ours",
  name: "@palimpsest/ours",
  entryPoints: new Map([[".", "./src/index.ts"]]),
  sources: new Map(
    Object.entries({
      "packages/ours/src/deep.ts": "export const deep = 1;",
      "packages/ours/src/deep.test.ts": 'import { deep } from "./deep.ts";',
      "packages/ours/src/deep.slow.test.ts": 'import { deep } from "./deep.ts";',
      "packages/ours/src/middle.ts": 'export { deep } from "./deep.ts";',
      "packages/ours/src/a-middle.test.ts": 'import { deep } from "./middle.ts";',
      "packages/ours/src/index.ts": 'export { deep } from "./middle.ts";',
      "packages/ours/src/whole.test.ts": 'import { deep } from "@palimpsest/ours";',
      "packages/ours/src/program.test.ts": 'start(join(import.meta.dirname, "middle.ts"));',
      "packages/ours/src/thread.test.ts": "new URL(`./middle$" + "{EXTENSION}`, import.meta.url);",
      "packages/ours/src/types.test.ts": 'import type { Deep } from "./deep.ts";',
      "packages/ours/src/other.test.ts": 'import { expect } from "vitest";',
    }),
  ),
});

test("the test beside a file comes first, then those that reach it over others, also as a program or by the package's name", () => {
  expect(near("packages/ours/src/deep.ts")).toEqual([
    "packages/ours/src/deep.test.ts",
    "packages/ours/src/a-middle.test.ts",
    "packages/ours/src/program.test.ts",
    "packages/ours/src/thread.test.ts",
    "packages/ours/src/whole.test.ts",
  ]);
});

test("a file that nothing reaches has no tests", () => {
  expect(near("packages/ours/src/other.ts")).toEqual([]);
});
