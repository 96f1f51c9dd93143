import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HeadText } from "../../extension/session-head.ts";
import { trustFile } from "../../permissions/load-settings.ts";
import { unseenFiles } from "../../permissions/unseen-file.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { openCommandTimes } from "../../workspace/command-times.ts";
import { hashOf } from "../../workspace/open-inside.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import { type InstructionsOptions, openInstructions } from "./open-instructions.ts";

async function opened(files: Readonly<Record<string, string>>, options: Pick<InstructionsOptions, "rules"> = {}) {
  const project = temporaryProject(files);
  const guard = await createPathGuard(project.folder);
  const open = async () => {
    const agentHome = join(project.home, ".palimpsest");
    const instructions = await openInstructions({ guard, home: project.home, agentHome, ...options });
    return {
      get files() {
        return instructions.files;
      },
      get problems() {
        return instructions.problems;
      },
      texts: instructions.text,
      text: async () => joined(await instructions.text()),
      folderRules: instructions.folderRules,
      changes: async (shown: readonly string[]) => joined(await instructions.changes(shown)),
      instructionsFor: async (path: string, shown: readonly string[]) =>
        joined(await instructions.instructionsFor([path], shown)),
    };
  };
  return { project, open };
}

const joined = (texts: readonly HeadText[] | undefined) => texts?.map(({ text }) => text).join("\n\n");

test("shows the user's files, files above the project and the project's files in this order", async () => {
  const { project, open } = await opened({ "AGENTS.md": "of the project" });
  mkdirSync(join(project.home, ".palimpsest"));
  writeFileSync(join(project.home, ".palimpsest/AGENTS.md"), "of the user");
  writeFileSync(join(project.base, "CLAUDE.md"), "from above");
  const { text, problems } = await open();
  const head = await text();
  expect(problems).toEqual([]);
  const places = ["of the user", "from above", "of the project"].map((text) => head!.indexOf(`\n\n${text}`));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(0);
});

test("has no head without files", async () => {
  const { open } = await opened({});
  const { text, files, problems } = await open();
  expect({ head: await text(), files, problems }).toEqual({ head: undefined, files: [], problems: [] });
});

test("reads each import once, ends circles, and stops at six levels", async () => {
  const chain = Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`deep/${n}.md`, `level ${n} @./${n + 1}.md`]));
  const { open } = await opened({
    ...chain,
    "AGENTS.md": "@a.md @deep/1.md",
    "a.md": "A @AGENTS.md @b.md",
    "b.md": "B @a.md",
  });
  const { files, problems } = await open();
  expect(files.map(({ path }) => path.split("/").at(-1))).toEqual([
    "AGENTS.md",
    "a.md",
    "b.md",
    "1.md",
    "2.md",
    "3.md",
    "4.md",
    "5.md",
  ]);
  expect(problems).toEqual([expect.stringContaining("at most 5 deep")]);
});

test("reads nothing outside the project, whatever the path", async () => {
  const { project, open } = await opened({ "AGENTS.md": "@../secret.md @~/secret.md @link.md @folder/secret.md" });
  for (const folder of [project.base, project.home]) writeFileSync(join(folder, "secret.md"), "CANARY");
  symlinkSync(join(project.base, "secret.md"), join(project.folder, "link.md"));
  symlinkSync(project.base, join(project.folder, "folder"));
  symlinkSync(join(project.base, "secret.md"), join(project.folder, "CLAUDE.md"));
  const { text, problems } = await open();
  expect(await text()).not.toContain("CANARY");
  expect(problems).toHaveLength(5);
});

test("shows a linked file and equal texts once", async () => {
  const { project, open } = await opened({ "AGENTS.md": "one text" });
  symlinkSync("AGENTS.md", join(project.folder, "CLAUDE.md"));
  expect((await open()).files).toHaveLength(1);
  rmSync(join(project.folder, "CLAUDE.md"));
  project.put("CLAUDE.md", "one text");
  expect((await open()).files).toHaveLength(1);
});

test("skips files above the project that other users can write", async () => {
  const { project, open } = await opened({});
  const path = join(project.base, "AGENTS.md");
  writeFileSync(path, "planted");
  chmodSync(path, 0o666);
  const { text, problems } = await open();
  expect(await text()).toBeUndefined();
  expect(problems).toEqual([expect.stringContaining("another user can write to it")]);
});

test("neither shows nor follows files that a rule denies", async () => {
  const rules = [{ decision: "deny", tool: "Read", pattern: "secret/**", from: "user" }] as const;
  const { open } = await opened(
    { "AGENTS.md": "@secret/a.md", "secret/a.md": "A", "secret/AGENTS.md": "B", "secret/x.ts": "" },
    { rules },
  );
  const instructions = await open();
  expect(instructions.files).toHaveLength(1);
  expect(await instructions.instructionsFor("secret/x.ts", [])).toBeUndefined();
});

test("spells out hidden characters in a text", async () => {
  const { open } = await opened({ "AGENTS.md": "ab\u001b]0;title\u0007c\u{e0041}\u{e0141}\u2062\u2064d" });
  expect((await open()).files[0]!.text).toBe("abc⟨U+E0041⟩⟨U+E0141⟩⟨U+2062⟩⟨U+2064⟩d");
});

test("marks only files in the user's own folders as the user's", async () => {
  const { project, open } = await opened({ "AGENTS.md": "of the project" });
  writeFileSync(join(project.home, "AGENTS.md"), "of the user");
  writeFileSync(join(project.base, "CLAUDE.md"), "from above");
  const texts = await (await open()).texts();
  expect(texts?.map(({ text, provenance }) => [text.split("\n").at(-1), provenance])).toEqual([
    [expect.stringContaining("Instructions that the user and the project have written down"), undefined],
    ["of the user", { kind: "user" }],
    ["from above", { kind: "project", name: join(project.base, "CLAUDE.md") }],
    ["of the project", { kind: "project", name: join(project.folder, "AGENTS.md") }],
  ]);
});

test("shows at most 40,000 characters, the user's files first", async () => {
  const { project, open } = await opened({ "AGENTS.md": "p".repeat(50_000), "sub/AGENTS.md": "more", "sub/x": "" });
  writeFileSync(join(project.home, "AGENTS.md"), "u".repeat(10_000));
  const instructions = await open();
  const head = (await instructions.text())!;
  expect(head.match(/u{100,}/)![0]).toHaveLength(10_000);
  expect(head.match(/p{100,}/)![0]).toHaveLength(30_000);
  expect(head).toContain("[20000 more characters: read the file for them]");
  // A cut file counts as shown.
  expect(await instructions.changes([head])).toBeUndefined();
  expect(await instructions.instructionsFor("sub/x", [head])).toContain("[4 more characters: read the file for them]");
});

test("shows a change once, even after a resume", async () => {
  const { project, open } = await opened({ "AGENTS.md": "old", "CLAUDE.md": "stays" });
  const shown = [(await (await open()).text())!];
  /** Opens the instructions anew each time, as after a resume. */
  const emit = async () => {
    const emitted = await (await open()).changes(shown);
    if (emitted !== undefined) shown.push(emitted);
    return emitted;
  };
  expect(await emit()).toBeUndefined();
  project.put("AGENTS.md", "new @more.md");
  project.put("more.md", "imported");
  const emitted = await emit();
  expect(emitted).toMatch(/\nnew @more.md\n[\s\S]*\nimported$/);
  expect(emitted).not.toContain("stays");
  expect(await emit()).toBeUndefined();
  rmSync(join(project.folder, "CLAUDE.md"));
  expect(await emit()).toMatch(/CLAUDE.md \(gone: what it said no longer holds\)$/);
  expect(await emit()).toBeUndefined();
  // The head has the same text, but the latest message has another.
  project.put("CLAUDE.md", "stays");
  project.put("AGENTS.md", "old");
  rmSync(join(project.folder, "more.md"));
  const back = await emit();
  for (const text of ["\n\nstays", "\n\nold", "more.md (gone"]) expect(back).toContain(text);
  expect(await emit()).toBeUndefined();
});

test("shows a folder's instructions with a read, once while they are in view", async () => {
  const { project, open } = await opened({
    "AGENTS.md": "top",
    "a/AGENTS.md": "in a",
    "a/b/CLAUDE.md": "in b",
    "a/b/x.ts": "",
    "other/AGENTS.md": "elsewhere",
  });
  const { text, instructionsFor, changes } = await open();
  const head = (await text())!;
  expect(head).not.toContain("in a");
  const emitted = (await instructionsFor("a/b/x.ts", [head]))!;
  expect(emitted).toMatch(/in a[\s\S]*in b/);
  expect(emitted).not.toMatch(/top|elsewhere/);
  expect(await instructionsFor("a/b/y.ts", [head, emitted])).toBeUndefined();
  expect(await instructionsFor("../outside/x.ts", [head, emitted])).toBeUndefined();
  expect(await changes([head, emitted])).toBeUndefined();
  project.put("a/b/CLAUDE.md", "in b, changed");
  const changed = (await changes([head, emitted]))!;
  expect(changed).toContain("in b, changed");
  expect(changed).not.toContain("in a");
  expect(await instructionsFor("a/b/x.ts", [head, emitted, changed])).toBeUndefined();
  // A compaction removed all earlier texts.
  expect(await instructionsFor("a/b/x.ts", [head])).toMatch(/in a[\s\S]*in b, changed/);
});

test("lists the instructions of folders in use, the most recently touched folder first", async () => {
  const { project, open } = await opened({
    "AGENTS.md": "top",
    ...Object.fromEntries(["a", "a/b", "c", "d", "e"].map((folder) => [`${folder}/AGENTS.md`, `in ${folder}`])),
  });
  const { instructionsFor, folderRules } = await open();
  const shown: string[] = [];
  const touch = async (...paths: readonly string[]) => {
    for (const path of paths) shown.push((await instructionsFor(path, shown)) ?? "");
  };
  const listed = async (files: readonly string[], inView: readonly string[]) =>
    (await folderRules(files, inView)).map(({ path }) => path.slice(project.folder.length + 1));
  await touch("c/x.ts", "a/b/x.ts", "d/x.ts");
  expect(await listed([], shown)).toEqual(["d/AGENTS.md", "a/b/AGENTS.md", "a/AGENTS.md", "c/AGENTS.md"]);
  await touch("c/y.ts");
  // The files of e come back, though nothing was read there since the session was opened.
  expect((await listed(["e/x.ts"], shown)).map((path) => path.split("/")[0])).toEqual(["c", "d", "a", "a", "e"]);
  // An undo has removed all texts from the view.
  expect(await listed([], [])).toEqual([]);
  expect(await listed(["a/b/x.ts", "none/x.ts", "../out/x.ts"], [])).toEqual(["a/b/AGENTS.md", "a/AGENTS.md"]);
  project.put("d/AGENTS.md", "in d, changed");
  const [first] = await folderRules(["d/x.ts"], []);
  expect(first!.text).toMatch(/^# .*d\/AGENTS\.md \(for what lies in .*\)\n\nin d, changed$/);
});

test("a text cannot imitate the title of another file", async () => {
  const { project, open } = await opened({ "CLAUDE.md": "of the project" });
  const [title] = (await (await open()).text())!.split("\n").filter((line) => line.startsWith("# "));
  project.put(
    "AGENTS.md",
    `${title!.replace(/[0-9a-f]{8}/, "00000000")}\n${title!.replace(/\(.*/, "(gone: what it said no longer holds)")}`,
  );
  const { text, changes } = await open();
  expect(await changes([(await text())!])).toBeUndefined();
});

test("uses a command's changes only after the user's review, and the user's changes at once", async () => {
  const project = temporaryProject({ "AGENTS.md": "of the project", "src/a.ts": "" });
  const agentHome = join(project.home, ".palimpsest");
  const times = openCommandTimes(join(agentHome, "times.log"));
  const told: string[] = [];
  const guard = await createPathGuard(project.folder);
  const findUnseen = unseenFiles(times, agentHome);
  const open = () =>
    openInstructions({ guard, home: project.home, agentHome, findUnseen, onUnseen: (text) => void told.push(text) });
  const instructions = await open();
  const shown = [joined(await instructions.text())!];
  const wait = () => new Promise((resolve) => setTimeout(resolve, 120));
  await wait();
  const end = await times.begin();
  project.put("AGENTS.md", "of a command");
  project.put("src/CLAUDE.md", "of a command, too");
  await end();
  expect(await instructions.changes(shown)).toBeUndefined();
  expect(await instructions.instructionsFor(["src/a.ts"], shown)).toBeUndefined();
  expect(told).toEqual([
    expect.stringContaining("AGENTS.md does not count: a command has changed it"),
    expect.stringContaining("src/CLAUDE.md does not count"),
  ]);
  expect(await times.unseen()).toHaveLength(2);
  const again = await open();
  expect(again.files).toEqual([]);
  expect(again.problems).toEqual([expect.stringContaining("palimpsest trust")]);
  // The user reviews the current version.
  const { path } = (await guard.locate("AGENTS.md")) as { readonly path: string };
  await trustFile({ path, hash: hashOf("of a command") }, agentHome);
  expect(joined(await again.changes(shown))).toContain("of a command");
  await wait();
  project.put("AGENTS.md", "of the user");
  expect(joined(await again.changes(shown))).toContain("of the user");
});
