import { appendFileSync, closeSync, ftruncateSync, openSync, renameSync, rmSync, utimesSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitsOf, draft, messagesOf, temporaryMemory, versionIn } from "../testing/temporary-memory.ts";

describe("a file that was edited by hand", () => {
  test("is the user's from then on: others propose", async () => {
    const { memory, put, text } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    put("a.md", text("a.md").replace("what a is", "what it really is").replace("The fact of a.", "Mine."));
    expect(await memory.list()).toMatchObject([{ slug: "a", author: "user", description: "what it really is" }]);
    expect(await memory.head()).toBe("- [About a](a.md): what it really is\n");
    const { version } = (await memory.read("a"))!;
    expect(await memory.write(draft("a"), "dream", version)).toMatchObject({
      kind: "proposed",
      why: "a was written or edited by the user, and is changed by the user only",
    });
    expect((await memory.read("a"))!.body).toBe("Mine.");
    expect(await messagesOf(memory)).toEqual([
      "dream: propose a: a was written or edited by the user, and is changed by the user only",
      "user: edited by hand: a.md",
      "model: write a",
    ]);
    expect(await memory.write(draft("a"), "user", version)).toMatchObject({ kind: "written" });
  });

  test("is noticed where only its bytes tell", async () => {
    const { memory, folder, put, text } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    await memory.list();
    const [before, times] = [text("a.md"), new Date("2026-01-01")];
    utimesSync(join(folder, "a.md"), times, times);
    await memory.list();
    put("a.md", before.replace("The fact", "One fact"));
    utimesSync(join(folder, "a.md"), times, times);
    expect(await memory.list()).toMatchObject([{ author: "user" }]);
  });

  test("may be new, without any head", async () => {
    const { memory, put } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    put("ask-first.md", "Ask before you push.\n");
    expect(await memory.head()).toBe(
      "- [About a](a.md): what a is\n- [ask first](ask-first.md): Ask before you push.\n",
    );
    expect(await memory.read("ask-first")).toMatchObject({ author: "user", type: "project", evidence: [] });
  });

  test("may say that it is the model's: a file that comes by hand is the user's all the same", async () => {
    const { memory, put, text } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    put("b.md", text("a.md"));
    expect(await memory.list()).toMatchObject([{ author: "model" }, { slug: "b", author: "user" }]);
  });
});

describe("a file that was removed by hand", () => {
  test("counts as forgotten by the user", async () => {
    const { memory, folder, text } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    rmSync(join(folder, "a.md"));
    expect([await memory.list(), await memory.head()]).toEqual([[], undefined]);
    expect(await memory.forgotten()).toMatchObject([{ topic: "a", because: "removed by hand" }]);
    expect(text("forgotten/a.md")).toContain("The fact of a.");
    expect(await memory.write(draft("a"), "model", "none")).toMatchObject({ because: "forgotten" });
  });

  test("and is there under another name, was renamed", async () => {
    const { memory, folder } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    renameSync(join(folder, "a.md"), join(folder, "z.md"));
    expect(await memory.list()).toMatchObject([{ slug: "z", name: "About a" }]);
    expect(await memory.forgotten()).toEqual([]);
  });
});

describe("the index", () => {
  test("keeps what was written into it by hand, in its place and in history", async () => {
    const { memory, put, text } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    put("MEMORY.md", `# Mine\n\n${text("MEMORY.md").replace("what a is", "changed here")}\nSee also the wiki.\n`);
    await memory.write(draft("b"), "model", "none");
    expect(text("MEMORY.md")).toBe(
      "# Mine\n\n- [About a](a.md): what a is\n- [About b](b.md): what b is\n\nSee also the wiki.\n",
    );
    await memory.forget("a", "model", "gone", version);
    expect(text("MEMORY.md")).toBe("# Mine\n\n- [About b](b.md): what b is\n\nSee also the wiki.\n");
    expect(await messagesOf(memory)).toContain("user: edited by hand: MEMORY.md");
  });

  test("comes back when it is removed", async () => {
    const { memory, folder, text } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    rmSync(join(folder, "MEMORY.md"));
    expect(await memory.head()).toBe("- [About a](a.md): what a is\n");
    expect(text("MEMORY.md")).toBe("- [About a](a.md): what a is\n");
  });

  test("says what it leaves out, where edits by hand have made it too long", async () => {
    const { memory, put } = await temporaryMemory({ limits: { indexLines: 3 } });
    await memory.write(draft("a"), "model", "none");
    for (const slug of ["b", "c", "d", "e"]) put(`${slug}.md`, `About ${slug}.`);
    expect(await memory.head()).toContain("(The index is cut here: 3 of its 5 lines are shown");
    expect(await memory.write(draft("f"), "model", "none")).toMatchObject({ headroom: { lines: -2 } });
  });
});

describe("an editor that has a file open while it is replaced", () => {
  test("saves what it saves: that is the newest, and the write before is in history", async () => {
    const { memory, folder, text } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    const editor = openSync(join(folder, "a.md"), "r+");
    versionIn(await memory.write(draft("a", { body: "By the model." }), "model", version));
    ftruncateSync(editor);
    writeSync(editor, "By the user.", 0);
    closeSync(editor);
    // Found by the next one who writes, whatever it is.
    await memory.write(draft("b"), "model", "none");
    expect(text("a.md")).toBe("By the user.");
    expect(await memory.read("a")).toMatchObject({ author: "user" });
    expect(await messagesOf(memory)).toEqual([
      "model: write b",
      "user: edited by hand: a.md",
      "model: change a",
      "model: write a",
    ]);
  });

  test("may save in two steps, and after the topic was forgotten", async () => {
    const { memory, folder, text } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    const editor = openSync(join(folder, "a.md"), "r+");
    await memory.forget("a", "model", "gone", version);
    ftruncateSync(editor);
    await memory.write(draft("b"), "model", "none");
    writeSync(editor, "First half, ", 0);
    await memory.write(draft("c"), "model", "none");
    writeSync(editor, "second half.", 12);
    closeSync(editor);
    await memory.write(draft("d"), "model", "none");
    expect(text("a.md")).toBe("First half, second half.");
    expect((await memory.list()).map(({ slug }) => slug)).toEqual(["a", "b", "c", "d"]);
  });

  test("and is followed by another, loses to it; history has both", async () => {
    const { memory, folder, put, text } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    const editor = openSync(join(folder, "a.md"), "a");
    versionIn(await memory.write(draft("a", { body: "By the model." }), "model", version));
    writeSync(editor, "late");
    closeSync(editor);
    put("a.md", "later");
    await memory.write(draft("b"), "model", "none");
    expect(text("a.md")).toBe("later");
    const log = await commitsOf(memory);
    const diffs = await Promise.all(log.map(async ({ commit }) => JSON.stringify(await memory.diff(commit))));
    expect(diffs.filter((diff) => diff.includes("+late"))).toHaveLength(2);
  });
});

test("files of others in the folder are left alone", async () => {
  const { memory, put, folder } = await temporaryMemory();
  await memory.write(draft("a"), "model", "none");
  put("notes.txt", "mine");
  put("My Notes.md", "mine");
  appendFileSync(join(folder, ".hidden.md"), "mine");
  expect((await memory.list()).map(({ slug }) => slug)).toEqual(["a"]);
  expect((await memory.problems()).map(({ path }) => path).sort()).toEqual([".hidden.md", "My Notes.md"]);
});
