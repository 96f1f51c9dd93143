import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { draft, temporaryMemory, versionIn } from "../testing/temporary-memory.ts";

/** A memory with one topic, and beside it something that is nobody's business. */
async function setUp() {
  const made = await temporaryMemory();
  versionIn(await made.memory.write(draft("a"), "model", "none"));
  const outside = join(made.folder, "..", "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "canary.md"), "CANARY");
  const canary = () => readFileSync(join(outside, "canary.md"), "utf8");
  return { ...made, outside, canary };
}

describe("a link in the place of", () => {
  test("a topic is neither read nor written, and reported", async () => {
    const { memory, folder, outside, canary } = await setUp();
    symlinkSync(join(outside, "canary.md"), join(folder, "b.md"));
    expect(await memory.read("b")).toBeUndefined();
    expect(await memory.head()).not.toContain("CANARY");
    expect(await memory.write(draft("b"), "user", "none")).toMatchObject({ because: "unsafe-file" });
    expect(await memory.problems()).toEqual([{ path: "b.md", what: "is a link" }]);
    expect(canary()).toBe("CANARY");
  });

  test("a topic that was there is a removal", async () => {
    const { memory, folder, outside, canary } = await setUp();
    const { version } = (await memory.read("a"))!;
    rmSync(join(folder, "a.md"));
    symlinkSync(join(outside, "canary.md"), join(folder, "a.md"));
    expect(await memory.read("a")).toBeUndefined();
    expect(await memory.write(draft("a", { body: "x" }), "user", version)).toMatchObject({ because: "unsafe-file" });
    expect(await memory.list()).toEqual([]);
    expect(canary()).toBe("CANARY");
  });

  test("the index stops all writing", async () => {
    const { memory, folder, outside, canary } = await setUp();
    rmSync(join(folder, "MEMORY.md"));
    symlinkSync(join(outside, "canary.md"), join(folder, "MEMORY.md"));
    expect(await memory.head()).toBeUndefined();
    expect(await memory.write(draft("b"), "user", "none")).toMatchObject({ because: "unsafe-file" });
    expect(await memory.problems()).toEqual([{ path: "MEMORY.md", what: "is a link" }]);
    expect(canary()).toBe("CANARY");
  });

  test.each(["inbox", "forgotten"])("the folder %s", async (name) => {
    const { memory, folder, outside } = await setUp();
    symlinkSync(outside, join(folder, name));
    await expect(memory.propose(draft("b"), "model", "a page")).rejects.toThrow(
      "is a link, no folder, or another user's",
    );
    await expect(memory.list()).rejects.toThrow("is a link");
    expect(readFileSync(join(outside, "canary.md"), "utf8")).toBe("CANARY");
  });

  test("our own folder", async () => {
    const { folder, outside, reopen, memory } = await setUp();
    await memory.close();
    rmSync(join(folder, ".palimpsest"), { recursive: true });
    symlinkSync(outside, join(folder, ".palimpsest"));
    await expect(reopen()).rejects.toThrow("is a link, no folder, or another user's");
  });
});

test("what is no plain file, or has another name too, is not read", async () => {
  const { memory, folder, outside, canary } = await setUp();
  linkSync(join(outside, "canary.md"), join(folder, "hard.md"));
  execFileSync("mkfifo", [join(folder, "pipe.md")]);
  mkdirSync(join(folder, "folder.md"));
  writeFileSync(join(folder, "huge.md"), "x".repeat(1_048_577));
  expect((await memory.list()).map(({ slug }) => slug)).toEqual(["a"]);
  expect(await memory.read("pipe")).toBeUndefined();
  expect(await memory.write(draft("hard"), "user", "none")).toMatchObject({ because: "unsafe-file" });
  const problems = new Map((await memory.problems()).map(({ path, what }) => [path, what]));
  expect(Object.fromEntries(problems)).toEqual({
    "hard.md": "has 2 names, and may lie elsewhere too",
    "pipe.md": "is no plain file",
    "folder.md": "is no plain file",
    "huge.md": "has 1048577 bytes, more than the 1048576 that are read",
  });
  expect(canary()).toBe("CANARY");
});

test("the folder itself may be a link, which the host has chosen; what is put in its place later is not followed", async () => {
  const { folder, reopen, memory, outside } = await setUp();
  const real = join(folder, "..", "real");
  renameSync(folder, real);
  symlinkSync(real, folder);
  const linked = await reopen();
  versionIn(await linked.write(draft("b"), "model", "none"));
  expect(readFileSync(join(real, "b.md"), "utf8")).toContain("The fact of b.");
  expect(linked.folder).toBe(memory.folder.replace(/memory$/, "real"));
  expect(readFileSync(join(outside, "canary.md"), "utf8")).toBe("CANARY");
});

test.each(["../outside/canary", "..", "a/b", "/etc/passwd", "a\0", "%2e%2e", "A", ""])(
  "%j is no topic",
  async (slug) => {
    const { memory } = await temporaryMemory();
    expect(await memory.read(slug)).toBeUndefined();
    expect(await memory.forget(slug, "user", "why", "none")).toMatchObject({ because: "bad-name" });
    expect(await memory.accept(slug)).toMatchObject({ because: "not-there" });
    expect(await memory.reject(slug)).toMatchObject({ because: "not-there" });
  },
);
