import { describe, expect, test } from "vitest";
import { italicIn, NOTES_TEMPLATE, readNotesTemplate, templateMarkdown } from "./template.ts";

describe("the built-in template", () => {
  test("has ten sections, and is parsed as it is written", () => {
    expect(NOTES_TEMPLATE).toHaveLength(10);
    expect(readNotesTemplate(templateMarkdown(NOTES_TEMPLATE))).toEqual({ kind: "template", template: NOTES_TEMPLATE });
  });
});

describe("a custom template", () => {
  test("accepts headings of any level, both forms of italics, and both line ends", () => {
    const read = readNotesTemplate("\r\n## Goals\r\n*what we want*\r\n\r\n### Open ends ###\r\n_what is left_\r\n");
    expect(read).toEqual({
      kind: "template",
      template: [
        { heading: "Goals", about: "what we want" },
        { heading: "Open ends", about: "what is left" },
      ],
    });
  });

  test.each([
    ["nothing", "\n\n", "no heading"],
    ["text before the first heading", "hello\n# A\n_a_", "line 1: text before"],
    ["a heading without its line", "# A\n\n# B\n_b_", 'line 3: "A" has no line in italics'],
    ["a last heading without its line", "# A\n_a_\n# B\n", '"B" has no line in italics'],
    ["a heading twice", "# Open ends\n_a_\n## open  Ends:\n_b_", "line 3"],
    ["a heading without words", "# ---\n_a_", "line 1: a heading needs at least one word"],
    ["content", "# A\n_a_\nsome text", 'line 3: "A" can have only one line'],
    ["words that are not in italics", "# A\nwhat belongs here", 'line 2: "A" can have only one line'],
  ])("reports %s with its line", (_, markdown, problem) => {
    const read = readNotesTemplate(markdown);
    expect(read.kind === "unusable" && read.problem).toContain(problem);
  });
});

test("does not count bold text or a single mark as italic", () => {
  expect(["_a_", "*a b*", "**a**", "__a__", "_", "__", "* a*", "_a"].map(italicIn)).toEqual([
    "a",
    "a b",
    ...[undefined, undefined, undefined, undefined, undefined, undefined],
  ]);
});
