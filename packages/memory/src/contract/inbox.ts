import assert from "node:assert/strict";
import { assertLike, draft, type MemoryCheck, versionIn } from "./memory-case.ts";

/** Tests what waits for the user, and what the user did not want. */
export function testInbox(check: MemoryCheck): void {
  check("a proposal is kept out of everything else until the user approves it", async ({ memory }) => {
    const proposed = await memory.propose(draft("a"), "model", "it comes from a web page");
    assertLike(proposed, { kind: "proposed", slug: "a", topic: "a", why: "it comes from a web page" });
    const nothing = [await memory.list(), await memory.head(), await memory.read("a"), await memory.search("a", 5)];
    assert.deepEqual(nothing, [[], undefined, undefined, []]);
    assertLike(await memory.propose(draft("a"), "model", "again"), { kind: "unchanged", slug: "a" });
    await memory.propose(draft("a", { body: "Something else." }), "dream", "another page");
    assertLike(await memory.inbox(), [
      { slug: "a", topic: "a", by: "model", why: "it comes from a web page", over: "none", draft: draft("a") },
      { slug: "a-2", topic: "a", by: "dream", draft: { body: "Something else." } },
    ]);
    assertLike(await memory.accept("a"), { kind: "written", slug: "a" });
    assert.equal(await memory.head(), "- [About a](a.md): what a is\n");
    assert.deepEqual(
      (await memory.inbox()).map(({ slug }) => slug),
      ["a-2"],
    );
    const topic = (await memory.read("a"))!;
    assert.deepEqual([topic.author, topic.text.includes("why:")], ["model", false]);
    assertLike(await memory.accept("a"), { because: "not-there" });
  });

  check("an accepted proposal does not overwrite a newer topic, unless told to", async ({ memory }) => {
    await memory.propose(draft("a", { body: "Proposed." }), "model", "a web page");
    const version = versionIn(await memory.write(draft("a"), "user", "none"));
    assert.deepEqual(await memory.accept("a"), { kind: "stale", slug: "a", version });
    assertLike(await memory.accept("a", { expected: version }), { kind: "written" });
    assertLike((await memory.read("a"))!, { body: "Proposed.", author: "user" });
  });

  check("the user can say it in other words, which are then the user's", async ({ memory }) => {
    const evidence = [{ session: "s", entry: 3, quote: "use tabs" }];
    await memory.propose(draft("a", { body: "Use tabs.\n\nWhy: said once.", evidence }), "model", "a web page");
    const secret = { description: "x", body: `The key is ${"AKIA"}${"QYLPMN5HHHFPZAM2"}.` };
    assertLike(await memory.accept("a", { changed: secret }), { because: "secret" });
    assertLike(await memory.accept("a", { changed: { description: "", body: "Use spaces." } }), {
      because: "bad-text",
    });
    const changed = { description: "Use spaces.", body: "Use spaces." };
    assertLike(await memory.accept("a", { changed }), { kind: "written", slug: "a" });
    assertLike((await memory.read("a"))!, { ...changed, author: "user", evidence });
    assert.deepEqual(await memory.inbox(), []);
  });

  check("a rejected proposal is not proposed again", async ({ memory }) => {
    await memory.propose(draft("a"), "model", "a web page");
    assertLike(await memory.reject("a"), { kind: "written", slug: "a", version: "none" });
    assertLike(await memory.propose(draft("b", { body: "the fact,  OF a!" }), "model", "another page"), {
      because: "forgotten",
      why: "The user did not want it: the user said no to it. Do not propose it again.",
    });
    assertLike(await memory.write(draft("a"), "model", "none"), { because: "forgotten" });
    assert.deepEqual(await memory.inbox(), []);
    assertLike(await memory.reject("a"), { because: "not-there" });
  });

  check(
    "an inbox is full at some point",
    async ({ memory }) => {
      assertLike(await memory.propose(draft("a"), "model", "a web page"), { kind: "proposed" });
      assertLike(await memory.propose(draft("b"), "model", "a web page"), {
        because: "inbox-full",
        why: "1 proposals wait in the inbox; at most 1 can. Decide on some.",
      });
    },
    { limits: { proposals: 1 } },
  );

  const emitted: string[] = [];
  check(
    "the user's judgment of memories is emitted",
    async ({ memory }) => {
      emitted.length = 0;
      for (const slug of ["a", "b"]) await memory.propose(draft(slug), "model", "a web page");
      await memory.accept("a");
      await memory.reject("b");
      const version = versionIn(await memory.write(draft("d"), "model", "none"));
      const own = versionIn(await memory.write(draft("d", { body: "The user's." }), "user", version));
      await memory.write(draft("d", { body: "And again." }), "user", own);
      const model = versionIn(await memory.write(draft("e"), "model", "none"));
      await memory.forget("e", "user", "It is over.", model);
      assert.deepEqual(emitted, ["confirmed", "rejected", "corrected", "rejected"]);
    },
    { emit: (event) => void emitted.push(event.kind === "memory-judged" ? event.verdict : event.kind) },
  );

  check("a forgotten topic is kept where it is never recalled", async ({ memory }) => {
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    await memory.forget("a", "model", "it moved to Dublin", version);
    assert.deepEqual([await memory.read("a"), await memory.list(), await memory.head()], [undefined, [], undefined]);
    assertLike(await memory.forgotten(), [{ slug: "a", topic: "a", because: "it moved to Dublin" }]);
    // Told, and written: it was not the user who forgot it.
    const again = await memory.write(draft("a"), "model", "none");
    assertLike(again, { kind: "written", forgotten: { because: "it moved to Dublin" } });
    await memory.forget("a", "dream", "again", versionIn(again));
    assertLike(await memory.forgotten(), [{ slug: "a" }, { slug: "a-2" }]);
  });

  check("what the user has forgotten is not written again by a model", async ({ memory }) => {
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    await memory.forget("a", "user", "private", version);
    assertLike(await memory.write(draft("a", { body: "New." }), "model", "none"), {
      kind: "proposed",
      why: "the user had it forgotten: private",
    });
    assertLike(await memory.write(draft("z", { body: "The fact of a." }), "dream", "none"), {
      because: "forgotten",
      why: "The user did not want it: private. Do not propose it again.",
    });
    assertLike(await memory.write(draft("a"), "user", "none"), { kind: "written", forgotten: { topic: "a" } });
  });
}
