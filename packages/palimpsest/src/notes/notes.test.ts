import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyNotes, isBare, type Notes, notesMarkdown, parseNotes, tidy } from "./notes.ts";
import { NOTES_TEMPLATE, templateMarkdown } from "./template.ts";

const withContent = (contents: Readonly<Record<string, string>>): Notes => ({
  sections: NOTES_TEMPLATE.map((section) => ({ ...section, content: contents[section.heading] ?? "" })),
});

describe("notes as markdown", () => {
  test("bare notes are the template", () => {
    const bare = emptyNotes(NOTES_TEMPLATE);
    expect(notesMarkdown(bare)).toBe(templateMarkdown(NOTES_TEMPLATE));
    expect(isBare(bare)).toBe(true);
    expect(isBare(parseNotes(notesMarkdown(bare), NOTES_TEMPLATE))).toBe(true);
    expect(isBare(withContent({ Worklog: "began" }))).toBe(false);
  });

  const line = fc.oneof(
    fc.constantFrom("# Worklog", "\\# Worklog", "\\\\## current state", "## Details", "_in italics_", "", "   ", "```"),
    fc.string(),
  );
  const content = fc.array(line, { maxLength: 8 }).map((lines) => tidy(lines.join("\n")));

  test("round trip, whatever the content looks like", () => {
    fc.assert(
      fc.property(fc.array(content, { minLength: 10, maxLength: 10 }), (contents) => {
        const notes: Notes = {
          sections: NOTES_TEMPLATE.map((section, index) => ({ ...section, content: contents[index]! })),
        };
        expect(parseNotes(notesMarkdown(notes), NOTES_TEMPLATE)).toEqual(notes);
      }),
      { numRuns: 500 },
    );
  });

  test("under another template nothing is lost", () => {
    const markdown = notesMarkdown(withContent({ "Session title": "Login", Worklog: "1. began", Learnings: "slow" }));
    const read = parseNotes(`Mine.\n${markdown}`, [
      { heading: "State", about: "now" },
      { heading: "Learnings", about: "what was learnt" },
    ]);
    expect(read.sections[0]!.content).toMatch(/^Mine\..*Login/s);
    expect(read.sections[1]!.content).toMatch(/^slow.*1\. began$/s);
  });

  test("a section that is there twice keeps both", () => {
    const read = parseNotes("# Worklog\n_x_\none\n# Learnings\n# Worklog\ntwo", NOTES_TEMPLATE);
    expect(read).toEqual(withContent({ Worklog: "one\ntwo" }));
  });
});
