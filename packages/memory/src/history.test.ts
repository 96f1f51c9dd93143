import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { commitsOf, draft, messagesOf, temporaryMemory, versionIn } from "./testing/temporary-memory.ts";

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["--git-dir", join(folder, ".palimpsest/history.git"), ...args], { encoding: "utf8" });

describe("history", () => {
  test("has every change, by whom, and holds for git", async () => {
    const { memory, folder, text } = await temporaryMemory();
    expect(await memory.log()).toEqual({ kind: "log", commits: [] });
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    const first = text("a.md");
    versionIn(await memory.write(draft("a", { body: "New." }), "user", version));
    expect(await commitsOf(memory)).toMatchObject([
      { by: "user", message: "change a", changes: [{ path: "a.md", how: "changed" }] },
      {
        by: "model",
        message: "write a",
        atMs: Date.UTC(2026, 10, 15, 0, 0, 1),
        changes: [
          { path: "MEMORY.md", how: "added" },
          { path: "a.md", how: "added" },
        ],
      },
    ]);
    expect(git(folder, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
    expect(git(folder, "show", "main~1:a.md")).toBe(first);
    expect(git(folder, "log", "-1", "--format=%an %ae %cn")).toBe("user user@memory.invalid palimpsest\n");
    expect(await memory.log(1)).toMatchObject({ commits: [{ message: "change a" }] });
  });

  test("is read with git, and kept without", async () => {
    const { memory, reopen, folder } = await temporaryMemory();
    const without = await reopen({ gitProgram: join(folder, "no-such-program") });
    versionIn(await without.write(draft("a"), "model", "none"));
    for (const answer of [await without.log(), await without.diff(), await without.undo("00000000")]) {
      expect(answer).toMatchObject({ kind: "no-history", why: expect.stringContaining("git could not be started") });
    }
    expect(await messagesOf(memory)).toEqual(["model: write a"]);
  });

  test("goes on where git has packed it", async () => {
    const { memory, folder, has } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    git(folder, "gc", "--quiet");
    expect(has(".palimpsest/history.git/refs/heads/main")).toBe(false);
    await memory.forget("a", "model", "gone", version);
    expect(await memory.list()).toEqual([]);
    expect(await messagesOf(memory)).toEqual(["model: forget a: gone", "model: write a"]);
    expect(await memory.undo((await commitsOf(memory))[0]!.commit)).toMatchObject({ kind: "undone" });
    expect(git(folder, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
  });

  test("runs nothing that others have set up for git", async () => {
    const { memory, folder } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    const home = join(folder, "..", "home");
    const canary = join(home, "canary");
    mkdirSync(home);
    const evil = `touch ${canary}`;
    const settings = `[core]\n\thooksPath = ${home}\n\tfsmonitor = ${evil}\n\tpager = ${evil}\n[diff]\n\texternal = ${evil}\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = ${join(home, "hook")}\n`;
    const script = `#!/bin/sh\n${evil}\n`;
    for (const name of ["hook", "reference-transaction"]) writeFileSync(join(home, name), script, { mode: 0o755 });
    writeFileSync(join(home, ".gitconfig"), settings);
    const own = join(folder, ".palimpsest/history.git");
    writeFileSync(join(own, "config"), settings);
    mkdirSync(join(own, "info"));
    writeFileSync(join(own, "info/attributes"), "*.md diff=evil\n");
    const before = { ...process.env };
    onTestFinished(() => {
      process.env = before;
    });
    Object.assign(process.env, { HOME: home, GIT_CONFIG_GLOBAL: join(home, ".gitconfig"), GIT_EXTERNAL_DIFF: evil });
    Object.assign(process.env, { GIT_DIR: "/nowhere", GIT_PAGER: evil, GIT_TRACE: canary });
    expect(await memory.log()).toMatchObject({ kind: "log", commits: [{ message: "write a" }] });
    expect(await memory.diff()).toMatchObject({ kind: "diff" });
    versionIn(await memory.write(draft("a", { body: "New." }), "model", version));
    expect(await memory.undo((await commitsOf(memory))[0]!.commit)).toMatchObject({ kind: "undone" });
    expect(existsSync(canary)).toBe(false);
    expect(readFileSync(join(own, "config"), "utf8")).not.toContain("canary");
  });
});

describe("undo", () => {
  test("gives back what was there, to the byte, and can be undone", async () => {
    const { memory, put, text, has } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    put("b.md", "By hand, with\r\n odd endings \n\n");
    put("MEMORY.md", `mine\n${text("MEMORY.md")}end`);
    await memory.list();
    const before = ["a.md", "b.md", "MEMORY.md"].map(text);
    const { version } = (await memory.read("b"))!;
    await memory.forget("b", "user", "gone", version);
    const after = ["a.md", "forgotten/b.md", "MEMORY.md"].map(text);
    const [forget] = await commitsOf(memory);
    const undone = await memory.undo(forget!.commit);
    expect(undone).toMatchObject({ kind: "undone", restored: ["b.md", "forgotten/b.md", "MEMORY.md"], stale: [] });
    expect(["a.md", "b.md", "MEMORY.md"].map(text)).toEqual(before);
    expect([has("forgotten/b.md"), (await memory.read("b"))!.author]).toEqual([false, "user"]);
    const [undo] = await commitsOf(memory);
    expect(undo).toMatchObject({ by: "user", message: expect.stringMatching(/^undo [0-9a-f]{10}: forget b: gone$/) });
    expect(await memory.undo(undo!.commit)).toMatchObject({ kind: "undone" });
    expect(["a.md", "forgotten/b.md", "MEMORY.md"].map(text)).toEqual(after);
  });

  test("leaves alone what was changed since, and says so", async () => {
    const { memory, put, text } = await temporaryMemory();
    await memory.batch("dream", "tidy up", async (batch) => {
      await batch.write(draft("a"), "none");
      await batch.write(draft("b"), "none");
    });
    const [tidied] = await commitsOf(memory);
    put("a.md", "Mine.");
    expect(await memory.undo(tidied!.commit)).toMatchObject({ kind: "undone", restored: ["b.md"], stale: ["a.md"] });
    expect([text("a.md"), text("MEMORY.md")]).toEqual(["Mine.", "- [a](a.md): Mine.\n"]);
    expect(await memory.undo(tidied!.commit)).toEqual({ kind: "stale", stale: ["a.md", "b.md"] });
  });

  test("gives a topic back to whom it belonged", async () => {
    const { memory, put } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    put("a.md", "Mine.");
    await memory.list();
    const [edited] = await commitsOf(memory);
    expect(await memory.undo(edited!.commit)).toMatchObject({ kind: "undone", restored: ["a.md", "MEMORY.md"] });
    expect(await memory.read("a")).toMatchObject({ author: "model", body: "The fact of a." });
  });

  test("of an edit of the index alone, and of the first commit", async () => {
    const { memory, put, text, has } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    const before = text("MEMORY.md");
    put("MEMORY.md", `${before}mine\n`);
    await memory.list();
    const [edited, first] = await commitsOf(memory);
    expect(await memory.undo(edited!.commit)).toMatchObject({ kind: "undone", restored: ["MEMORY.md"] });
    expect(text("MEMORY.md")).toBe(before);
    expect(await memory.undo(first!.commit)).toMatchObject({ kind: "undone", restored: ["a.md", "MEMORY.md"] });
    expect([has("a.md"), await memory.list()]).toEqual([false, []]);
    expect(await memory.undo("0123abcd")).toEqual({ kind: "unknown-commit" });
  });
});

describe("what was lost of our own folder", () => {
  test("is found anew: who wrote what is in history", async () => {
    const { memory, put, folder, reopen } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    await memory.write(draft("b"), "dream", "none");
    await memory.write(draft("c"), "model", "none");
    put("b.md", "Mine.");
    await memory.list();
    const before = await memory.list();
    await memory.close();
    for (const suffix of ["", "-wal", "-shm"])
      rmSync(join(folder, `.palimpsest/index.sqlite${suffix}`), { force: true });
    put("c.md", "Mine too.");
    const again = await reopen();
    expect(await again.list()).toEqual([before[0], before[1], expect.objectContaining({ slug: "c", author: "user" })]);
    expect((await messagesOf(again))[0]).toBe("user: edited by hand: c.md");
  });

  test("while it is in use, too", async () => {
    const { memory, folder } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    for (const suffix of ["", "-wal", "-shm"])
      rmSync(join(folder, `.palimpsest/index.sqlite${suffix}`), { force: true });
    expect(await memory.write(draft("b"), "model", "none")).toMatchObject({ kind: "written" });
    expect(await memory.list()).toMatchObject([{ author: "model" }, { author: "model" }]);
  });

  test("is begun anew where all of it is gone: then files say whose they are", async () => {
    const { memory, put, folder, reopen } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    put("b.md", "Mine.");
    await memory.close();
    rmSync(join(folder, ".palimpsest"), { recursive: true });
    const again = await reopen();
    expect(await again.list()).toMatchObject([{ author: "model" }, { author: "user" }]);
    expect(await messagesOf(again)).toEqual(["user: taken over: 3 files"]);
  });

  test("is made anew where its pages are damaged", async () => {
    const { memory, folder, reopen } = await temporaryMemory();
    for (let number = 0; number < 8; number++) {
      await memory.write(draft(`topic-${number}`, { description: "x".repeat(400) }), "model", "none");
    }
    await memory.close();
    const path = join(folder, ".palimpsest/index.sqlite");
    const bytes = readFileSync(path);
    expect(bytes.length).toBeGreaterThan(3 * 4_096);
    // All but the first page, which has the schema.
    writeFileSync(path, bytes.fill(0xee, 4_096));
    const again = await reopen();
    expect(await again.list()).toHaveLength(8);
    expect(await again.write(draft("more"), "model", "none")).toMatchObject({ kind: "written" });
    expect(new Set((await again.list()).map(({ author }) => author))).toEqual(new Set(["model"]));
  });

  test.each(["not a database", ""])("is made anew where it is damaged: %j", async (content) => {
    const { memory, folder, reopen } = await temporaryMemory();
    await memory.write(draft("a"), "model", "none");
    await memory.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(join(folder, `.palimpsest/index.sqlite${suffix}`), { force: true });
    writeFileSync(join(folder, ".palimpsest/index.sqlite"), content === "" ? "" : content.padEnd(5_000, "."));
    expect(await (await reopen()).list()).toMatchObject([{ slug: "a", author: "model" }]);
  });
});
