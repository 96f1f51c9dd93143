import { expect, test } from "vitest";
import { transcriptMarkdown } from "./export.ts";

const entry = { title: "", text: "", seen: "yes" } as const;

test("what was said stands as it is, results stand in fences that hold, and what was rewound is left out", () => {
  const text = transcriptMarkdown([
    { ...entry, who: "attached", text: "instructions" },
    { ...entry, who: "you", text: "Read it." },
    { ...entry, who: "tool", title: "result of Read", text: "```ts\nconst a = 1;\n```" },
    { ...entry, who: "model", text: "**Done.**", seen: "compacted" },
    { ...entry, who: "you", text: "No, the other one.", seen: "taken-back" },
  ]);
  expect(text).toBe(
    "## You\n\nRead it.\n\n## result of Read\n\n````\n```ts\nconst a = 1;\n```\n````\n\n## Model\n\n**Done.**\n",
  );
});
