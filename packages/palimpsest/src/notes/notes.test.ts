import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  emptyNotes,
  isBare,
  NOTES_LIMITS,
  type Notes,
  notesMarkdown,
  notesSummary,
  parseNotes,
  sizeOfNotes,
  tidy,
} from "./notes.ts";
import { NOTES_TEMPLATE, templateMarkdown } from "./template.ts";

const withContent = (contents: Readonly<Record<string, string>>): Notes => ({
  sections: NOTES_TEMPLATE.map((section) => ({ ...section, content: contents[section.heading] ?? "" })),
});

describe("notes in markdown", () => {
  test("write empty notes as the template", () => {
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

  test("parse as they were written, for any content", () => {
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

  test("lose nothing with another template", () => {
    const markdown = notesMarkdown(withContent({ "Session title": "Login", Worklog: "1. began", Learnings: "slow" }));
    const read = parseNotes(`Mine.\n${markdown}`, [
      { heading: "State", about: "now" },
      { heading: "Learnings", about: "what was learnt" },
    ]);
    expect(read.sections[0]!.content).toMatch(/^Mine\..*Login/s);
    expect(read.sections[1]!.content).toMatch(/^slow.*1\. began$/s);
  });

  test("keep both contents of a section that occurs twice", () => {
    const read = parseNotes("# Worklog\n_x_\none\n# Learnings\n# Worklog\ntwo", NOTES_TEMPLATE);
    expect(read).toEqual(withContent({ Worklog: "one\ntwo" }));
  });
});

describe("sizes and summaries", () => {
  const countTokens = (text: string): number => Math.ceil(text.length / 4);
  const lines = (count: number): string => Array.from({ length: count }, (_, at) => `step ${at} was done`).join("\n");
  const withWorklog = (content: string): Notes => ({
    sections: emptyNotes(NOTES_TEMPLATE).sections.map((section) =>
      section.heading === "Worklog" ? { ...section, content } : section,
    ),
  });

  describe("sizes", () => {
    test("reports sections over their limit, and the notes over theirs", () => {
      const notes: Notes = {
        sections: NOTES_TEMPLATE.map((section, at) => ({
          ...section,
          content: "abcd".repeat(at === 1 ? 2_001 : 1_300),
        })),
      };
      const size = sizeOfNotes(notes, NOTES_LIMITS, countTokens);
      expect(size).toEqual({
        totalTokens: 13_701,
        whole: "over",
        oversized: [{ heading: "Current state", tokens: 2_001 }],
      });
      expect(sizeOfNotes(withWorklog("abcd".repeat(2_000)), NOTES_LIMITS, countTokens)).toEqual({
        totalTokens: 2_000,
        whole: "within",
        oversized: [],
      });
    });
  });

  describe("the notes as a summary", () => {
    const options = { notesEntry: 17, recall: "offered", countTokens } as const;

    test("has every heading, without the lines that describe the sections", () => {
      const summary = notesSummary(withWorklog("began"), options);
      for (const { heading, about } of NOTES_TEMPLATE) {
        expect(summary).toContain(`# ${heading}\n`);
        expect(summary).not.toContain(about);
      }
      expect(summary.endsWith("# Worklog\nbegan\n")).toBe(true);
    });

    test("keeps both ends of a long section in whole lines, and names the entry with the full notes", () => {
      const summary = notesSummary(withWorklog(lines(2_000)), options);
      expect(summary).toMatch(/# Worklog\nstep 0 was done\nstep 1 was done\n/);
      expect(summary).toMatch(
        /was done\n\[\.\.\. cut: this section has \d+ tokens\. Recall entry 17 to read .*\]\nstep \d+ was/,
      );
      expect(summary.endsWith("\nstep 1999 was done\n")).toBe(true);
    });

    test("never exceeds the limit, and never has half a character", () => {
      const content = fc.string({
        unit: fc.constantFrom("a", "bc ", "\n", "\u{1f600}", "é"),
        minLength: 1,
        maxLength: 3_000,
      });
      fc.assert(
        fc.property(content, fc.integer({ min: 60, max: 500 }), (text, sectionTokens) => {
          const notes = withWorklog(text.trim());
          const summary = notesSummary(notes, { ...options, sectionTokens });
          expect(summary.isWellFormed()).toBe(true);
          const kept = summary.slice(summary.indexOf("# Worklog\n") + "# Worklog\n".length).trimEnd();
          expect(countTokens(kept)).toBeLessThanOrEqual(sectionTokens);
          if (countTokens(text.trim()) <= sectionTokens) expect(kept).toBe(text.trim());
        }),
        { numRuns: 300 },
      );
    });
  });
});
