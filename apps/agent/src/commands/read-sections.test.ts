import { expect, test } from "vitest";
import { readSections } from "./memory.ts";

test("readSections makes a topic of each section with text, and ignores headings in code", () => {
  const drafts = readSections(
    "Before.\n# Build\n- Use pnpm. Never npm.\n\n## Empty\n## Run ##\n```\n# no heading\n```\nDone.\n",
  );
  expect(drafts).toEqual([
    { name: "Build", description: "Use pnpm.", type: "project", body: "- Use pnpm. Never npm." },
    { name: "Run", description: "```", type: "project", body: "```\n# no heading\n```\nDone." },
  ]);
  expect(readSections("")).toEqual([]);
});
