import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runFileCommand } from "./file-commands.ts";
import { draft, temporaryMemory, versionIn } from "./testing/temporary-memory.ts";

async function setUp() {
  const made = await temporaryMemory();
  const run = (input: unknown) => runFileCommand(made.memory, input);
  return { ...made, run };
}

test("files are created, viewed, changed, renamed and deleted, as topics", async () => {
  const { memory, run, text, has } = await setUp();
  expect(await run({ command: "view", path: "/memories" })).toEqual({ kind: "done", text: "/memories is empty." });
  const file = "Deploys go to Frankfurt.\n\nWhy: contracts.\n";
  expect(await run({ command: "create", path: "/memories/deploy_region.txt", file_text: file })).toEqual({
    kind: "done",
    text: "/memories/deploy_region.md was written.",
  });
  expect(await memory.read("deploy_region")).toMatchObject({
    author: "model",
    name: "deploy region",
    description: "Deploys go to Frankfurt.",
    type: "project",
    body: file.trim(),
  });
  const listed = await run({ command: "view", path: "/memories/" });
  expect(listed.text).toContain("/memories/deploy_region.md (project, 2026-11-15): Deploys go to Frankfurt.");
  const viewed = await run({ command: "view", path: "/memories/deploy_region.md" });
  expect(viewed.text).toContain("    10\tDeploys go to Frankfurt.");
  const replaced = {
    command: "str_replace",
    path: "/memories/deploy_region.md",
    old_str: "contracts",
    new_str: "$& law",
  };
  expect(await run(replaced)).toMatchObject({ kind: "done" });
  expect(
    await run({ command: "insert", path: "/memories/deploy_region.md", insert_line: 10, insert_text: "And Dublin.\n" }),
  ).toMatchObject({
    kind: "done",
  });
  expect((await memory.read("deploy_region"))!.body).toBe("Deploys go to Frankfurt.\nAnd Dublin.\n\nWhy: $& law.");
  expect((await run({ command: "view", path: "/memories/deploy_region.md", view_range: [10, 11] })).text).toBe(
    "/memories/deploy_region.md, lines 10 to 11 of 13:\n    10\tDeploys go to Frankfurt.\n    11\tAnd Dublin.",
  );
  expect((await run({ command: "view", path: "/memories/deploy_region.md", view_range: [50, -1] })).text).toBe(
    "/memories/deploy_region.md has 13 lines: there is no line 50.",
  );
  await run({ command: "rename", old_path: "/memories/deploy_region.md", new_path: "/memories/Regions.md" });
  expect([has("deploy_region.md"), has("regions.md")]).toEqual([false, true]);
  expect(await run({ command: "view", path: "/memories/MEMORY.md" })).toEqual({
    kind: "done",
    text: text("MEMORY.md"),
  });
  expect(await run({ command: "delete", path: "/memories/regions.md" })).toEqual({
    kind: "done",
    text: "/memories/regions.md was removed; the user can bring it back.",
  });
  expect(text("forgotten/regions.md")).toContain("And Dublin.");
});

test("a text that stands once in what the model wrote is replaced, though the head repeats it", async () => {
  const { memory, run } = await setUp();
  await run({ command: "create", path: "/memories/region.md", file_text: "Deploys go to Frankfurt.\nWhy: contracts." });
  const replaced = {
    command: "str_replace",
    path: "/memories/region.md",
    old_str: "Frankfurt",
    new_str: "$& and Dublin",
  };
  expect(await run(replaced)).toMatchObject({ kind: "done" });
  expect(await memory.read("region")).toMatchObject({
    description: "Deploys go to $& and Dublin.",
    body: "Deploys go to $& and Dublin.\nWhy: contracts.",
  });
});

test("a head that the model writes counts for what is its own, and for nothing else", async () => {
  const { memory, run } = await setUp();
  const head = "---\nname: Style\ndescription: How to write\ntype: feedback\nauthor: user\ncreated: 2001-01-01\n";
  const evidence = 'evidence:\n  - {"session":"s","entry":1,"quote":"never said"}\n---\nShort sentences.';
  await run({ command: "create", path: "/memories/style.md", file_text: head + evidence });
  expect(await memory.read("style")).toMatchObject({
    name: "Style",
    type: "feedback",
    author: "model",
    evidence: [],
    createdAtMs: Date.UTC(2026, 10, 15, 0, 0, 1),
  });
  const edit = {
    command: "str_replace",
    path: "/memories/style.md",
    old_str: "author: model",
    new_str: "author: user",
  };
  expect(await run(edit)).toMatchObject({ kind: "refused", text: expect.stringContaining("is as it was") });
  const rename = { ...edit, old_str: "description: How to write", new_str: "description: Tone" };
  expect(await run(rename)).toMatchObject({ kind: "done" });
  expect(await memory.head()).toBe("- [Style](style.md): Tone\n");
});

test("a text at the beginning of a file goes below its head, which stays one", async () => {
  const { memory, run } = await setUp();
  await run({ command: "create", path: "/memories/region.md", file_text: "Deploys go to Frankfurt." });
  await run({ command: "insert", path: "/memories/region.md", insert_line: 0, insert_text: "Since May:\n" });
  expect((await memory.read("region"))!.body).toBe("Since May:\nDeploys go to Frankfurt.");
});

describe("refused", () => {
  test.each([
    [{}, 'There is no command "undefined". Use view, create, str_replace, insert, delete, rename.'],
    [null, "There is no command"],
    [{ command: "toString", path: "/memories" }, 'There is no command "toString".'],
    [{ command: "view" }, "view needs path, a text."],
    [{ command: "create", path: "/memories/a.md" }, "create needs file_text, a text."],
    [{ command: "insert", path: "/memories/a.md", insert_text: "x" }, "insert needs insert_line, a number."],
    [{ command: "view", path: "/memories/b.md" }, "There is no /memories/b.md."],
    [{ command: "create", path: "/memories/a.md", file_text: "x" }, "/memories/a.md is there already."],
    [{ command: "create", path: "/memories/MEMORY.md", file_text: "x" }, "it follows from the topics"],
    [{ command: "delete", path: "/memories" }, "it follows from the topics"],
    [{ command: "str_replace", path: "/memories/a.md", old_str: "zzz", new_str: "" }, "does not stand there"],
    [{ command: "str_replace", path: "/memories/a.md", old_str: "a", new_str: "" }, "stands there"],
    [{ command: "insert", path: "/memories/a.md", insert_line: 99, insert_text: "x" }, "it has 10 lines"],
    [{ command: "create", path: "/memories/c.md", file_text: "" }, "The body is empty."],
    [{ command: "create", path: "/memories/c.md", file_text: "password: hunter2!" }, "It seems to hold a password."],
    [{ command: "rename", old_path: "/memories/a.md", new_path: "/memories/MEMORY.md" }, "is no name for a topic"],
    [{ command: "rename", old_path: "/memories/a.md", new_path: "/memories/mine.md" }, "its new name is taken"],
    [{ command: "delete", path: "/memories/mine.md" }, "Only the user can have it removed"],
    [
      { command: "str_replace", path: "/memories/mine.md", old_str: "fact", new_str: "x" },
      "It waits for the user's yes",
    ],
  ])("%j", async (input, why) => {
    const { memory, run, text } = await setUp();
    versionIn(await memory.write(draft("a"), "model", "none"));
    versionIn(await memory.write(draft("mine"), "user", "none"));
    const before = [text("a.md"), text("mine.md"), text("MEMORY.md")];
    expect(await run(input)).toEqual({ kind: "refused", text: expect.stringContaining(why) });
    expect([text("a.md"), text("mine.md"), text("MEMORY.md")]).toEqual(before);
  });

  test("every path but a name below the root, whatever is asked", async () => {
    const { memory, run, folder } = await setUp();
    versionIn(await memory.write(draft("a"), "model", "none"));
    await memory.propose(draft("a", { body: "Waiting." }), "model", "a page");
    writeFileSync(join(folder, "..", "canary.md"), "CANARY");
    for (const path of [
      "/etc/passwd",
      "/memories/../canary.md",
      "/memories_backup/a.md",
      "memories/a.md",
      "a.md",
      "",
      "/",
      "/memories/..",
      "/memories/.",
      "/memories/%2e%2e%2fcanary.md",
      "/memories/..%2fcanary.md",
      "/memories/a/b.md",
      "/memories//canary.md",
      "/memories/..\\canary.md",
      "/memories/\0",
      "/memories/.palimpsest/index.sqlite",
      "/memories/inbox/a.md",
      "/memories/forgotten/a.md",
      "/memories/C:canary",
      "/memories/．．/canary.md",
      "/memories/-a.md",
      `/memories/${"x".repeat(4_000)}`,
    ]) {
      for (const input of [
        { command: "view", path },
        { command: "create", path, file_text: "x" },
        { command: "str_replace", path, old_str: "CANARY", new_str: "x" },
        { command: "insert", path, insert_line: 0, insert_text: "x" },
        { command: "delete", path },
        { command: "rename", old_path: path, new_path: "/memories/z.md" },
        { command: "rename", old_path: "/memories/a.md", new_path: path },
      ]) {
        const answer = await run(input);
        expect([path, answer.kind]).toEqual([path, "refused"]);
        expect(answer.text).not.toMatch(/CANARY|Waiting/);
      }
    }
    expect(readFileSync(join(folder, "..", "canary.md"), "utf8")).toBe("CANARY");
    expect((await memory.list()).map(({ slug }) => slug)).toEqual(["a"]);
  });
});
