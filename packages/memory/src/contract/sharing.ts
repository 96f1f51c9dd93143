import assert from "node:assert/strict";
import { draft, type MemoryCheck, messagesOf, slugsOf } from "./memory-case.ts";

const USERS = 3;
const WRITES = 6;

/** Tests a memory that several processes use at a time. */
export function testSharing(check: MemoryCheck): void {
  check("several writers lose nothing, and who is late is told", async ({ memory, reopen }) => {
    const users = [memory, ...(await Promise.all(Array.from({ length: USERS - 1 }, reopen)))];
    let late = 0;
    const writes = users.flatMap((user, number) =>
      Array.from({ length: WRITES }, async (_, at) => {
        assert.equal((await user.write(draft(`own-${number}-${at}`), "model", "none")).kind, "written");
        // All of them count in one topic: each has to see what the others have counted.
        for (;;) {
          const now = await user.read("count");
          const body = `${Number(now?.body ?? 0) + 1}`;
          const outcome = await user.write(draft("count", { body }), "model", now?.version ?? "none");
          if (outcome.kind === "written") return;
          assert.equal(outcome.kind, "stale");
          late++;
        }
      }),
    );
    await Promise.all(writes);
    assert.ok(late > 0);
    for (const user of users) {
      assert.equal((await user.read("count"))?.body, `${USERS * WRITES}`);
      assert.equal((await user.list()).length, USERS * WRITES + 1);
    }
    // One commit for each write, and none besides.
    assert.equal((await messagesOf(memory)).length, 2 * USERS * WRITES);
  });

  check("a search finds what is there now, whoever wrote it", async ({ memory, reopen }) => {
    const other = await reopen();
    const find = async (words: string) => (await memory.search(words, 5)).map(({ slug }) => slug);
    assert.deepEqual(await find("package manager"), []);
    await other.write(
      draft("package-manager", { name: "Package manager", description: "pnpm is the package manager here." }),
      "user",
      "none",
    );
    await other.write(
      draft("due", { name: "Release date", description: "When the release is due.", body: "On 2026-12-01." }),
      "user",
      "none",
    );
    assert.deepEqual(await find("which package manager do we use?"), ["package-manager"]);
    const { version } = (await other.read("due"))!;
    await other.write(
      draft("due", { name: "Staging database", description: "Where staging lives.", body: "db-7" }),
      "user",
      version,
    );
    assert.deepEqual(await find("where is the staging database"), ["due"]);
    assert.deepEqual(await find("due"), []);
    await other.forget("package-manager", "user", "over", (await other.read("package-manager"))!.version);
    assert.deepEqual(await find("package manager"), []);
  });

  check("uses are counted by all who have the memory open", async ({ memory, reopen }) => {
    const other = await reopen();
    for (const slug of ["lunch", "tool"]) await memory.write(draft(slug), "user", "none");
    assert.equal((await memory.uses()).size, 0);
    await memory.noteUse(["lunch", "tool"]);
    await other.noteUse(["lunch"]);
    await other.noteUse([]);
    const uses = await memory.uses();
    assert.deepEqual([uses.get("lunch")?.count, uses.get("tool")?.count, uses.size], [2, 1, 2]);
    assert.ok(uses.get("lunch")!.lastAtMs > uses.get("tool")!.lastAtMs);
    assert.deepEqual(await slugsOf(memory), ["lunch", "tool"]);
  });
}
