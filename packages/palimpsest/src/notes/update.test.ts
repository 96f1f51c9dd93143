import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyNotes, type Notes, notesMarkdown, tidy } from "./notes.ts";
import { NOTES_TEMPLATE } from "./template.ts";
import { type NotesUpdate, readUpdate, UPDATE_FORM, updatePrompt } from "./update.ts";

describe("readUpdate", () => {
  const withContents = (contents: Readonly<Record<string, string>>): Notes => ({
    sections: NOTES_TEMPLATE.map((section) => ({ ...section, content: contents[section.heading] ?? "" })),
  });
  const NOTES = withContents({ "Current state": "reading the parser", Worklog: "1. began" });
  const section = (heading: string, content: string): string =>
    `<notes-section heading="${heading}">\n${content}\n</notes-section>`;
  const frame = (...sections: readonly string[]): string => `<session-notes>\n${sections.join("\n")}\n</session-notes>`;
  const read = (text: string): NotesUpdate => readUpdate({ text, stop: "end" }, NOTES);

  const expectState = (update: NotesUpdate, content: string): readonly string[] => {
    if (update.kind !== "updated") throw new Error(JSON.stringify(update));
    expect(update.notes).toEqual(withContents({ "Current state": content, Worklog: "1. began" }));
    return update.repaired;
  };

  describe("an update in the requested form", () => {
    test("replaces only the sections that it contains", () => {
      expect(expectState(read(frame(section("Current state", "writing the printer"))), "writing the printer")).toEqual(
        [],
      );
    });

    test("accepts any content: code, headings, other tags", () => {
      const content = "```html\n<section>\n# Worklog\n</section>\n```\n## More\n_so it is_ and **so**";
      expect(expectState(read(frame(section("Current state", content))), content)).toEqual([]);
    });

    test("is unchanged if it says so or has the same content", () => {
      expect(read("<session-notes>unchanged</session-notes>").kind).toBe("unchanged");
      expect(read("Nothing new.\n<session-notes>\n</session-notes>").kind).toBe("unchanged");
      expect(read(frame(section("Worklog", "1. began\n"))).kind).toBe("unchanged");
      expect(read(frame(section("Worklog", "(unchanged)"))).kind).toBe("unchanged");
    });

    test("returns any contents as they are", () => {
      const line = fc.string().filter((text) => !/<\/?(notes-section|session-notes)/i.test(text));
      const content = fc
        .array(line, { minLength: 1, maxLength: 5 })
        .map((lines) => tidy(`It is so:\n${lines.join("\n")}`));
      fc.assert(
        fc.property(fc.subarray([...NOTES_TEMPLATE], { minLength: 1 }), content, (chosen, text) => {
          const update = read(frame(...chosen.map(({ heading }) => section(heading, text))));
          const contents = NOTES.sections.map(({ heading, content: before }) =>
            chosen.some((one) => one.heading === heading) ? text : before,
          );
          if (update.kind !== "updated") throw new Error(JSON.stringify(update));
          expect(update.notes.sections.map((one) => one.content)).toEqual(contents);
          expect(update.repaired).toEqual([]);
        }),
        { numRuns: 300 },
      );
    });
  });

  describe("a damaged update with a certain meaning is repaired", () => {
    const good = section("Current state", "new");
    test.each([
      ["words around it", `Here you are.\n\n${frame(good)}\n\nAnything else?`, /around/],
      [
        "a scratchpad with a draft",
        `<analysis>\n${frame(section("Current state", "draft"))}\n</analysis>\n${frame(good)}`,
        /around/,
      ],
      ["a fence around the whole", `\`\`\`xml\n${frame(good)}\n\`\`\``, /around/],
      ["no tag around it", good, /missing/],
      ["a tag around it that is not closed", `<session-notes>\n${good}`, /not closed/],
      [
        "a section that is not closed",
        `<session-notes>\n<notes-section heading="Current state">\nnew\n</session-notes>`,
        /not closed/,
      ],
      ["a heading with a number and marks", frame(section("2. **Current State**:", "new")), /read as/],
      ["a heading that is misspelt", frame(section("Curent state", "new")), /read as/],
      ["a heading that is cut short", frame(section("Current", "new")), /read as/],
      ["the heading repeated", frame(section("Current state", "# Current state\nnew")), /repeated/],
      [
        "the line in italics repeated",
        frame(section("Current state", `_${NOTES_TEMPLATE[1]!.about}_\n\nnew`)),
        /repeated/,
      ],
      [
        "the line in italics in other words",
        frame(section("Current state", "*What is being worked on now, what is still open, and the next step*\nnew")),
        /repeated/,
      ],
      [
        "heading and another line in italics",
        frame(section("Current state", "# Current state\n_All of it_\nnew")),
        /repeated/,
      ],
      ["the same section twice", frame(good, good), /twice/],
      ["words between the sections", frame("And now:", good), /between/],
      ["an empty section", frame(good, section("Worklog", "")), /was not changed/],
      ["a section that holds nothing but dots", frame(good, section("Worklog", "...")), /was not changed/],
      ["headings instead of tags", "# Current state\n_x y_\nnew", /instead of tags/],
      ["headings instead of tags, in a fence", "```markdown\n## Current state\nnew\n```", /instead of tags/],
      [
        "on one line",
        `<session-notes>\n<notes-section heading='Current state'>new</notes-section>\n</session-notes>`,
        undefined,
      ],
    ])("%s", (_, text, repair) => {
      const repaired = expectState(read(text), "new");
      if (repair === undefined) expect(repaired).toEqual([]);
      else expect(repaired.join("\n")).toMatch(repair);
    });

    test("keeps both contents of a section that occurs twice", () => {
      expectState(read(frame(section("Current state", "a"), section("current state", "b"))), "a\n\nb");
    });

    test("accepts the whole notes in their own form", () => {
      const changed = withContents({ "Current state": "new", Worklog: "1. began" });
      expectState(read(notesMarkdown(changed)), "new");
    });

    test("does not take a comment in code for a heading", () => {
      expectState(read("# Current state\n```sh\n# Worklog\nls\n```"), "```sh\n# Worklog\nls\n```");
    });
  });

  describe("an invalid update is rejected with the reason", () => {
    test.each([
      ["nothing", "  \n", "empty"],
      ["an error", "API Error: 529 overloaded", "an error instead"],
      ["another error", "Prompt is too long", "an error instead"],
      ["a refusal", "I'm sorry, but I can't help with that.", "a refusal instead"],
      ["just words", "All is well so far.", "without sections"],
      ["a scratchpad alone", "<analysis>\nThe user wants a parser.\n</analysis>", "without sections"],
      ["a section that is unknown", frame(section("Mood", "good"), section("Worklog", "2.")), 'no section "Mood"'],
      ["a heading that is like none", frame(section("Sesame", "x")), 'no section "Sesame"'],
      ["an unknown heading among known ones", "# Worklog\n2. went on\n# Mood\ngood", 'no section "Mood"'],
    ])("%s", (_, text, reason) => {
      const update = read(text);
      expect(update.kind === "rejected" && update.reason).toContain(reason);
    });

    test.each([
      ["length", frame(section("Worklog", "2.")), "cut off (length)"],
      ["window", frame(section("Worklog", "2.")), "cut off (window)"],
      ["refused", "", "refused"],
      ["tools", "", "tool call"],
      ["other", `<session-notes>\n<notes-section heading="Worklog">\n2.`, "cut off (other)"],
    ] as const)("for the stop reason %s", (stop, text, reason) => {
      const update = readUpdate({ text, stop }, NOTES);
      expect(update.kind === "rejected" && update.reason).toContain(reason);
    });

    test("rejects a heading that fits two sections", () => {
      const sections = ["Open tasks", "Open questions"].map((heading) => ({ heading, about: "x", content: "" }));
      const update = readUpdate({ text: frame(section("Open", "one")), stop: "end" }, { sections });
      expect(update).toEqual({ kind: "rejected", reason: 'there is no section "Open"' });
    });

    test("never throws, changes the structure or empties a section", () => {
      const piece = fc.oneof(
        fc.constantFrom(
          ...["<session-notes>", "</session-notes>", "</notes-section>", "# Worklog", "```", "_x_", "\n", "unchanged"],
          ...NOTES_TEMPLATE.map(({ heading }) => `<notes-section heading="${heading}">`),
        ),
        fc.string(),
      );
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom("\n", " ", ""), (pieces, glue) => {
          const update = read(pieces.join(glue));
          if (update.kind !== "updated") return;
          const structure = ({ sections }: Notes): string[] =>
            sections.map(({ heading, about }) => `${heading} ${about}`);
          expect(structure(update.notes)).toEqual(structure(NOTES));
          for (const [at, { content }] of NOTES.sections.entries())
            if (content !== "") expect(update.notes.sections[at]!.content).not.toBe("");
        }),
        { numRuns: 500 },
      );
    });
  });
});

describe("updatePrompt", () => {
  const countTokens = (text: string): number => Math.ceil(text.length / 4);
  const withContents = (contents: Readonly<Record<string, string>>): Notes => ({
    sections: NOTES_TEMPLATE.map((section) => ({ ...section, content: contents[section.heading] ?? "" })),
  });

  describe("the prompt", () => {
    test("contains the current notes, the limits and the form, and names no section if none is too long", () => {
      const notes = withContents({ Worklog: "began" });
      const prompt = updatePrompt({ notes, countTokens });
      expect(prompt).toContain(notesMarkdown(notes).trim());
      expect(prompt).toContain("at most 2000 tokens, all of them together at most 12000.");
      expect(prompt.endsWith(UPDATE_FORM)).toBe(true);
      expect(prompt).not.toContain("{{");
      expect(prompt).not.toContain("too long");
    });

    test("names the sections to condense, and says when to shorten everything", () => {
      const long = withContents({ Worklog: "abcd".repeat(2_500) });
      expect(updatePrompt({ notes: long, countTokens })).toContain('- "Worklog" has 2500 tokens.');
      expect(updatePrompt({ notes: long, countTokens })).not.toContain("Shorten every section");
      const limits = { sectionTokens: 3_000, totalTokens: 2_000 };
      const all = updatePrompt({ notes: long, countTokens, limits });
      expect(all).toContain("The notes have 2500 tokens now");
      expect(all).not.toContain('- "Worklog"');
    });

    test("uses a custom prompt, and adds missing placeholders at the end", () => {
      const notes = withContents({ Learnings: "use {{form}} and $& with care" });
      const own = updatePrompt({ notes, countTokens, prompt: "Notes: {{notes}}\nKeep it short." });
      expect(own).toMatch(/^Notes: # Session title/);
      expect(own).toContain("use {{form}} and $& with care");
      expect(own.split("<session-notes>\n")).toHaveLength(2);
      expect(own.indexOf("at most 2000")).toBeGreaterThan(own.indexOf("Keep it short."));
      const bare = updatePrompt({ notes: emptyNotes(NOTES_TEMPLATE), countTokens, prompt: "Kurz!" });
      expect(bare).toMatch(/^Kurz!\n\n<current-notes>\n# Session title/);
    });

    test("an answer that repeats the form changes nothing", () => {
      expect(readUpdate({ text: UPDATE_FORM, stop: "end" }, emptyNotes(NOTES_TEMPLATE)).kind).not.toBe("updated");
    });
  });
});
