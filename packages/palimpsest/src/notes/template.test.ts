import { describe, expect, test } from "vitest";
import { italicIn, NOTES_TEMPLATE, readNotesTemplate, templateMarkdown } from "./template.ts";

describe("our template", () => {
  test("has ten sections, and is read back as it is written", () => {
    expect(NOTES_TEMPLATE).toHaveLength(10);
    expect(readNotesTemplate(templateMarkdown(NOTES_TEMPLATE))).toEqual({ kind: "template", template: NOTES_TEMPLATE });
  });
});

describe("a template of the user's own", () => {
  test("headings of any level, italics of either sort, line ends of either sort", () => {
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
    ["a heading without words", "# ---\n_a_", "line 1: a heading needs a word"],
    ["content", "# A\n_a_\nsome text", 'line 3: under "A" stands more'],
    ["words that are not in italics", "# A\nwhat belongs here", 'line 2: under "A"'],
  ])("%s is told, with its line", (_, markdown, problem) => {
    const read = readNotesTemplate(markdown);
    expect(read.kind === "unusable" && read.problem).toContain(problem);
  });
});

test("bold is not italic, a single mark is not either", () => {
  expect(["_a_", "*a b*", "**a**", "__a__", "_", "__", "* a*", "_a"].map(italicIn)).toEqual([
    "a",
    "a b",
    ...[undefined, undefined, undefined, undefined, undefined, undefined],
  ]);
});
