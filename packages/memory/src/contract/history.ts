import assert from "node:assert/strict";
import type { Memory } from "../memory.ts";
import type { MemoryCommit } from "../memory-files.ts";
import { assertLike, commitsOf, draft, FIRST_AT_MS, type MemoryCheck, slugsOf, versionIn } from "./memory-case.ts";

/** Tests that every change is recorded, can be shown, and can be reverted. */
export function testHistory(check: MemoryCheck): void {
  check("history has every change, and by whom", async ({ memory, reopen }) => {
    assert.deepEqual(await memory.log(), { kind: "log", commits: [] });
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    versionIn(await memory.write(draft("a", { body: "New." }), "user", version));
    await memory.propose(draft("b"), "dream", "a web page");
    for (const reader of [memory, await reopen()]) {
      assertLike((await commitsOf(reader)).map(withoutIndex), [
        { by: "dream", message: "propose b: a web page", changes: [{ path: "inbox/b.md", how: "added" }] },
        { by: "user", message: "change a", changes: [{ path: "a.md", how: "changed" }] },
        { by: "model", message: "write a", atMs: FIRST_AT_MS, changes: [{ path: "a.md", how: "added" }] },
      ]);
    }
    const log = await memory.log(1);
    assertLike(log, { kind: "log" });
    assertLike("commits" in log ? log.commits : [], [{ by: "dream" }]);
    await memory.reject("b");
    const [rejected] = await commitsOf(memory);
    assertLike(withoutIndex(rejected!).changes, [
      { path: "forgotten/b.md", how: "added" },
      { path: "inbox/b.md", how: "removed" },
    ]);
    await memory.forget("a", "user", "over", (await memory.read("a"))!.version);
    await memory.write(draft("a"), "user", "none");
    const [again] = await commitsOf(memory);
    assertLike(withoutIndex(again!).changes, [{ path: "a.md", how: "added" }]);
  });

  check("history shows the differences of a commit, without the index", async ({ memory }) => {
    assert.deepEqual(await memory.diff(), { kind: "unknown-commit" });
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    versionIn(await memory.write(draft("a", { description: "other" }), "model", version));
    const newest = await memory.diff();
    assert.ok(newest.kind === "diff");
    assert.ok(newest.text.startsWith("diff --git a/a.md b/a.md\n"), newest.text);
    assert.ok(newest.text.includes("\n-description: what a is\n+description: other\n"), newest.text);
    assert.ok(!newest.text.includes("MEMORY.md"));
    const [, first] = await commitsOf(memory);
    const added = await memory.diff(first!.commit.slice(0, 8));
    assert.ok(added.kind === "diff" && added.commit === first!.commit);
    assert.ok(added.text.includes("\nnew file mode 100644\n") && added.text.includes("\n--- /dev/null\n+++ b/a.md\n"));
    for (const name of ["0000", "f".repeat(40), "--output=x", "main", "%", ""]) {
      assert.deepEqual(await memory.diff(name), { kind: "unknown-commit" });
      assert.deepEqual(await memory.undo(name), { kind: "unknown-commit" });
    }
  });

  check("undo restores what was there, to the byte, and can be undone", async ({ memory }) => {
    await memory.write(draft("a"), "model", "none");
    const version = versionIn(await memory.write(draft("b"), "user", "none"));
    const before = await contentsOf(memory);
    await memory.forget("b", "user", "gone", version);
    const after = await contentsOf(memory);
    const [forget] = await commitsOf(memory);
    const undone = await memory.undo(forget!.commit.slice(0, 12));
    assertLike(undone, { kind: "undone", stale: [] });
    assert.deepEqual(("restored" in undone ? undone.restored : []).filter(isNoIndex), ["b.md", "forgotten/b.md"]);
    assert.deepEqual(await contentsOf(memory), before);
    assertLike((await memory.read("b"))!, { version, author: "user" });
    const [undo] = await commitsOf(memory);
    assert.equal(undo!.by, "user");
    assert.match(undo!.message, /^undo [0-9a-f]{10}: forget b: gone$/);
    assertLike(await memory.undo(undo!.commit), { kind: "undone" });
    assert.deepEqual(await contentsOf(memory), after);
  });

  check("undo leaves alone what was changed since, and says so", async ({ memory }) => {
    await memory.batch("dream", "tidy up", async (batch) => {
      await batch.write(draft("a"), "none");
      await batch.write(draft("b"), "none");
    });
    const [tidied] = await commitsOf(memory);
    const { version } = (await memory.read("a"))!;
    await memory.write(draft("a", { body: "Mine." }), "user", version);
    const undone = await memory.undo(tidied!.commit);
    assertLike(undone, { kind: "undone", restored: ["b.md"], stale: ["a.md"] });
    assert.deepEqual(await slugsOf(memory), ["a"]);
    assert.deepEqual(await memory.undo(tidied!.commit), { kind: "stale", stale: ["a.md", "b.md"] });
  });

  check("undo gives a topic back to whom it belonged", async ({ memory }) => {
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    await memory.write(draft("a", { body: "Mine." }), "user", version);
    const [edited, first] = await commitsOf(memory);
    assertLike(await memory.undo(edited!.commit), { kind: "undone" });
    assertLike((await memory.read("a"))!, { version, author: "model", body: "The fact of a." });
    assertLike(await memory.undo(first!.commit), { kind: "undone" });
    assert.deepEqual([await memory.list(), await memory.head()], [[], undefined]);
    // The user approves and moves it, and it stays the model's.
    await memory.propose(draft("b"), "model", "a web page");
    const accepted = versionIn(await memory.accept("b"));
    await memory.rename("b", "c", "user", accepted);
    await memory.write(draft("c", { body: "Mine." }), "user", accepted);
    const [changed] = await commitsOf(memory);
    assertLike(await memory.undo(changed!.commit), { kind: "undone" });
    assertLike((await memory.read("c"))!, { version: accepted, author: "model" });
  });

  check(
    "undo does not overfill the index",
    async ({ memory }) => {
      const version = versionIn(await memory.write(draft("a"), "model", "none"));
      await memory.forget("a", "model", "gone", version);
      const [forgot] = await commitsOf(memory);
      await memory.write(draft("b"), "model", "none");
      assertLike(await memory.undo(forgot!.commit), { because: "index-full", headroom: { lines: 0 } });
    },
    { limits: { indexLines: 1 } },
  );
}

/** All texts that the memory has, wherever they are. */
async function contentsOf(memory: Memory): Promise<unknown> {
  const topics = await memory.readAll(await slugsOf(memory));
  return {
    topics: topics.map(({ slug, text }) => [slug, text]),
    head: await memory.head(),
    inbox: await memory.inbox(),
    forgotten: await memory.forgotten(),
  };
}

/** Only a folder has the index as a file. */
function isNoIndex(path: string): boolean {
  return path !== "MEMORY.md";
}

function withoutIndex(commit: MemoryCommit): MemoryCommit {
  return { ...commit, changes: commit.changes.filter(({ path }) => isNoIndex(path)) };
}
