import { describe, expect, test } from "vitest";
import { emptyNotes, type Notes, notesMarkdown } from "./notes.ts";
import { NOTES_TEMPLATE } from "./template.ts";
import { readUpdate, UPDATE_FORM, updatePrompt } from "./update.ts";

const countTokens = (text: string): number => Math.ceil(text.length / 4);
const withContents = (contents: Readonly<Record<string, string>>): Notes => ({
  sections: NOTES_TEMPLATE.map((section) => ({ ...section, content: contents[section.heading] ?? "" })),
});

describe("what the fork is told", () => {
  test("the notes as they are, the limits, the form, and nothing that is too long if nothing is", () => {
    const notes = withContents({ Worklog: "began" });
    const prompt = updatePrompt({ notes, countTokens });
    expect(prompt).toContain(notesMarkdown(notes).trim());
    expect(prompt).toContain("at most 2000 tokens, all of them together at most 12000.");
    expect(prompt.endsWith(UPDATE_FORM)).toBe(true);
    expect(prompt).not.toContain("{{");
    expect(prompt).not.toContain("too long");
  });

  test("which sections to condense, and when to shorten everything", () => {
    const long = withContents({ Worklog: "abcd".repeat(2_500) });
    expect(updatePrompt({ notes: long, countTokens })).toContain('- "Worklog" has 2500 tokens.');
    expect(updatePrompt({ notes: long, countTokens })).not.toContain("Shorten every section");
    const limits = { sectionTokens: 3_000, totalTokens: 2_000 };
    const all = updatePrompt({ notes: long, countTokens, limits });
    expect(all).toContain("The notes have 2500 tokens now");
    expect(all).not.toContain('- "Worklog"');
  });

  test("in the user's own words, with what they left out at the end", () => {
    const notes = withContents({ Learnings: "use {{form}} and $& with care" });
    const own = updatePrompt({ notes, countTokens, prompt: "Notes: {{notes}}\nKeep it short." });
    expect(own).toMatch(/^Notes: # Session title/);
    expect(own).toContain("use {{form}} and $& with care");
    expect(own.split("<session-notes>\n")).toHaveLength(2);
    expect(own.indexOf("at most 2000")).toBeGreaterThan(own.indexOf("Keep it short."));
    const bare = updatePrompt({ notes: emptyNotes(NOTES_TEMPLATE), countTokens, prompt: "Kurz!" });
    expect(bare).toMatch(/^Kurz!\n\n<current-notes>\n# Session title/);
  });

  test("an answer that only says the form back changes nothing", () => {
    expect(readUpdate({ text: UPDATE_FORM, stop: "end" }, emptyNotes(NOTES_TEMPLATE)).kind).not.toBe("updated");
  });
});
