import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { placesOf } from "../../workspace/places.ts";
import { readNotesFiles } from "./notes-extension.ts";

const TEMPLATE = "# Risks\n_What can go wrong._\n\n# Next\n_What comes next._\n";

function setUp(files: Readonly<Record<string, string | Uint8Array>>) {
  const { folder, home } = temporaryProject();
  const places = placesOf(folder, { HOME: home });
  mkdirSync(places.agentHome);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(places.agentHome, name), content);
  return { places, read: () => readNotesFiles(places) };
}

describe("the user's files for session notes", () => {
  test("are used if they are there", async () => {
    expect(await setUp({}).read()).toEqual({ problems: [] });
    const files = { "notes-template.md": TEMPLATE, "notes-prompt.md": "Write in French." };
    expect(await setUp(files).read()).toEqual({ template: TEMPLATE, prompt: "Write in French.", problems: [] });
  });

  test("may be links, for example into a repository", async () => {
    const { places, read } = setUp({ "elsewhere.md": TEMPLATE });
    symlinkSync(join(places.agentHome, "elsewhere.md"), places.notesTemplate);
    expect(await read()).toMatchObject({ template: TEMPLATE, problems: [] });
  });

  test.each([
    ["empty", " \n", "it is empty"],
    ["too large", `# Risks\n_${"x".repeat(16_400)}_`, "it has 16,410 bytes, more than the limit of 16,384"],
    ["without a heading", "Keep it short.", "line 1: text before the first heading belongs to no section"],
    ["unfinished", "# Risks\n", '"Risks" has no line in italics that describes its content'],
    ["no text", new Uint8Array([0x23, 0x20, 0xff, 0xfe]), "it is not UTF-8 text"],
  ])("that are %s are not used, and the problem says why and what to do", async (_, content, why) => {
    const { places, read } = setUp({ "notes-template.md": content, "notes-prompt.md": "Write in French." });
    const { template, prompt, problems } = await read();
    expect({ template, prompt }).toEqual({ template: undefined, prompt: "Write in French." });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${places.notesTemplate} is not used: `);
    expect(problems[0]).toContain(why);
    expect(problems[0]).toContain("The session notes have the built-in sections. Correct the file or delete it.");
  });

  test("are reported if they are a folder or an empty prompt", async () => {
    const { places, read } = setUp({ "notes-prompt.md": "" });
    mkdirSync(places.notesTemplate);
    const { problems } = await read();
    expect(problems).toEqual([
      expect.stringContaining("notes-template.md is not used: it is not a plain file."),
      expect.stringContaining("notes-prompt.md is not used: it is empty. The session notes have the built-in prompt."),
    ]);
  });
});
