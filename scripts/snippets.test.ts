import { expect, test } from "vitest";
import { findSnippets } from "./snippets.ts";

test("finds runnable blocks with their lines and leaves the others", () => {
  const page = [
    "# Title",
    "```ts",
    "const a = 1;",
    "```",
    "```sh",
    "ls",
    "```",
    "```ts no-run",
    "b",
    "```",
    "```typescript",
    "c;",
    "d;",
    "```",
  ];
  expect(findSnippets("README.md", page.join("\n"))).toEqual([
    { file: "README.md", line: 2, code: "const a = 1;" },
    { file: "README.md", line: 11, code: "c;\nd;" },
  ]);
});
