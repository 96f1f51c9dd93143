import { expect, test } from "vitest";
import { patchedFiles } from "./calls.ts";

const PATCH = `*** Begin Patch
*** Update File: src/limit.ts
@@
-export const limit = 10;
+export const limit = 20;
*** Add File: src/new.ts
+export const isNew = true;
*** Delete File: src/old.ts
*** End Patch`;

test("each file of a patch, with the place of its new lines", () => {
  expect(patchedFiles(["-lc", `apply_patch <<'EOF'\n${PATCH}\nEOF`])).toEqual([
    { path: "src/limit.ts", access: "edit", written: { line: "export const limit = 20;", before: 0, after: 0 } },
    { path: "src/new.ts", access: "edit", written: { line: "export const isNew = true;", before: 0, after: 0 } },
  ]);
});

test("lines that are only removed have no place; text without a patch has no files", () => {
  expect(patchedFiles(["*** Begin Patch\n*** Update File: a\n-x"])).toEqual([{ path: "a", access: "edit" }]);
  expect(patchedFiles(["*** Update File: a", 7, { a: 1 }])).toEqual([]);
});
