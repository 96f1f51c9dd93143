import assert from "node:assert/strict";
import type { BatchStep } from "../batch.ts";
import { assertLike, commitsOf, draft, type MemoryCheck, messagesOf, slugsOf, versionIn } from "./memory-case.ts";

/** Tests that several changes are one, or none. */
export function testBatches(check: MemoryCheck): void {
  check("a batch is one commit, and sees its own changes before anyone else does", async ({ memory, reopen }) => {
    const other = await reopen();
    const a = versionIn(await memory.write(draft("a"), "model", "none"));
    const b = versionIn(await memory.write(draft("b"), "model", "none"));
    const outcome = await memory.batch("dream", "merge a and b", async (batch) => {
      assertLike(batch.list(), [{ slug: "a" }, { slug: "b" }]);
      const body = `${batch.read("a")?.body} ${batch.read("b")?.body}`;
      assertLike(await batch.write(draft("ab", { body }), "none"), { kind: "written", slug: "ab" });
      assertLike(await batch.forget("a", "merged into ab", a), { kind: "written", version: "none" });
      assert.deepEqual(await batch.forget("b", "merged into ab", a), { kind: "stale", slug: "b", version: b });
      assertLike(await batch.rename("b", "old-b", b), { kind: "written", slug: "old-b" });
      assert.deepEqual([batch.read("a"), batch.read("ab")?.author, batch.list().length], [undefined, "dream", 2]);
      for (const reader of [memory, other]) assert.deepEqual(await slugsOf(reader), ["a", "b"]);
    });
    assertLike(outcome, {
      kind: "written",
      commit: (await commitsOf(memory))[0]!.commit,
      summary: { topics: 2, added: ["ab", "old-b"], rewritten: [], removed: ["a", "b"], proposed: [] },
    });
    assert.equal((await messagesOf(memory))[0], "dream: merge a and b");
    for (const reader of [memory, other]) assert.deepEqual(await slugsOf(reader), ["ab", "old-b"]);
    assert.equal(await memory.head(), "- [About ab](ab.md): what ab is\n- [About b](old-b.md): what b is\n");
  });

  check("a batch is not applied where someone else was faster, not even in part", async ({ memory, reopen }) => {
    const a = versionIn(await memory.write(draft("a"), "model", "none"));
    const other = await reopen();
    for (const [meanwhile, slugs] of [
      [() => other.write(draft("a", { body: "By another." }), "model", a), ["a"]],
      [() => other.write(draft("new"), "user", "none"), ["new"]],
    ] as const) {
      const now = (await memory.read("a"))!.version;
      const outcome = await memory.batch("dream", "tidy up", async (batch) => {
        await batch.write(draft("new"), "none");
        await batch.write(draft("a", { body: "Tidied." }), now);
        await batch.write(draft("b"), "none");
        await meanwhile();
      });
      assert.deepEqual(outcome, { kind: "stale", slugs });
    }
    assert.deepEqual([await memory.read("b"), (await memory.read("a"))!.body], [undefined, "By another."]);
  });

  check("a batch is held where the guard says so, and can be asked for again", async ({ memory }) => {
    const versions = new Map<string, string>();
    for (const slug of ["a", "b", "c"]) versions.set(slug, versionIn(await memory.write(draft(slug), "model", "none")));
    const outcome = await memory.batch(
      "dream",
      "tidy up",
      async (batch) => {
        for (const slug of ["a", "b"]) await batch.forget(slug, "old", versions.get(slug)!);
      },
      ({ removed, topics }) => (removed.length > topics / 2 ? `${removed.length} of ${topics} would go` : undefined),
    );
    assertLike(outcome, { kind: "held", why: "2 of 3 would go", summary: { removed: ["a", "b"] } });
    assert.equal((await memory.list()).length, 3);
    const { steps } = outcome as { steps: readonly BatchStep[] };
    const again = await memory.batch("dream", "tidy up, as the user said", async (batch) => {
      for (const step of steps) if (step.kind === "forget") await batch.forget(step.slug, step.because, step.expected);
    });
    assertLike(again, { kind: "written" });
    assert.deepEqual(await slugsOf(memory), ["c"]);
  });

  check("a batch does not touch what is the user's: it proposes", async ({ memory }) => {
    const version = versionIn(await memory.write(draft("a"), "user", "none"));
    const outcome = await memory.batch("dream", "tidy up", async (batch) => {
      assertLike(await batch.write(draft("a", { body: "Better." }), version), { kind: "proposed", topic: "a" });
      assertLike(await batch.forget("a", "old", version), { because: "user-written" });
      assertLike(await batch.propose(draft("b"), "seen on a page"), { kind: "proposed" });
      assertLike(await batch.write(draft("c", { name: "" }), "none"), { because: "bad-name" });
    });
    assertLike(outcome, { summary: { added: [], rewritten: [], removed: [], proposed: ["a", "b"] } });
    assertLike(await memory.inbox(), [{ topic: "a" }, { topic: "b" }]);
  });

  check("a batch that changes nothing in the end is none", async ({ memory }) => {
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    const outcome = await memory.batch("dream", "try", async (batch) => {
      const renamed = await batch.rename("a", "b", version);
      await batch.rename("b", "a", "version" in renamed ? renamed.version : "");
    });
    assert.deepEqual(outcome, { kind: "unchanged" });
    assert.deepEqual(await memory.batch("dream", "nothing", async () => undefined), { kind: "unchanged" });
    assert.deepEqual(await messagesOf(memory), ["model: write a"]);
  });

  check(
    "a batch that overfills the index is refused as a whole",
    async ({ memory }) => {
      const outcome = await memory.batch("dream", "learn", async (batch) => {
        for (const slug of ["a", "b", "c"]) await batch.write(draft(slug), "none");
      });
      assertLike(outcome, { because: "index-full", headroom: { lines: 2 } });
      assert.deepEqual(await memory.list(), []);
    },
    { limits: { indexLines: 2 } },
  );

  check("a batch whose work fails leaves nothing behind", async ({ memory }) => {
    const failing = memory.batch("dream", "fail", async (batch) => {
      await batch.write(draft("a"), "none");
      throw new Error("the model was not there");
    });
    await assert.rejects(failing, /the model was not there/);
    assert.deepEqual(await memory.list(), []);
  });
}
