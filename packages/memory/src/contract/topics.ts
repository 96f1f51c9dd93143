import assert from "node:assert/strict";
import type { TopicDraft } from "../topic.ts";
import { assertLike, draft, FIRST_AT_MS, type MemoryCheck, slugsOf, versionIn } from "./memory-case.ts";

/** Tests what can be written, by whom, and what it says then. */
export function testTopics(check: MemoryCheck): void {
  check("topics are written, read and listed, and stand in the index", async ({ memory }) => {
    assert.deepEqual([await memory.list(), await memory.head(), await memory.read("a")], [[], undefined, undefined]);
    const outcome = await memory.write(draft("b", { type: "user" }), "model", "none");
    assertLike(outcome, { kind: "written", slug: "b" });
    assert.match("commit" in outcome ? outcome.commit : "", /^[0-9a-f]{40}$/);
    await memory.write(draft("a"), "user", "none");
    assertLike(await memory.list(), [
      { slug: "a", type: "project", author: "user", updatedAtMs: FIRST_AT_MS + 1_000 },
      { slug: "b", type: "user", author: "model", version: versionIn(outcome), updatedAtMs: FIRST_AT_MS },
    ]);
    const [b, a] = await memory.readAll(["b", "missing", "../up", "a"]);
    assertLike(b!, { slug: "b", body: "The fact of b.", name: "About b", author: "model", createdAtMs: FIRST_AT_MS });
    assert.deepEqual([await memory.read("a"), await memory.read("b")], [a, b]);
    assert.equal(await memory.head(), "- [About b](b.md): what b is\n- [About a](a.md): what a is\n");
    assert.deepEqual(await memory.problems(), []);
  });

  check("a topic is changed only by those who have read what is there", async ({ memory }) => {
    const first = versionIn(await memory.write(draft("a"), "model", "none"));
    assert.deepEqual(await memory.write(draft("a"), "model", "none"), { kind: "stale", slug: "a", version: first });
    assertLike(await memory.write(draft("a", { body: "New." }), "model", "0"), { kind: "stale" });
    const second = versionIn(await memory.write(draft("a", { body: "New." }), "model", first));
    const late = await memory.write(draft("a", { body: "Newer." }), "model", first);
    assert.deepEqual(late, { kind: "stale", slug: "a", version: second });
    assertLike(await memory.write(draft("a", { body: "New." }), "dream", second), { kind: "unchanged" });
    assertLike(await memory.forget("a", "model", "wrong", first), { kind: "stale" });
    assert.deepEqual(await memory.forget("b", "model", "wrong", first), { kind: "stale", slug: "b", version: "none" });
    assertLike((await memory.read("a"))!, { body: "New.", author: "model" });
  });

  check("a topic gets a slug from its name, and keeps it", async ({ memory }) => {
    const { slug: _, ...unnamed } = draft("x", { name: "Where deploys go" });
    const version = versionIn(await memory.write(unnamed, "model", "none"));
    await memory.write({ ...unnamed, slug: "where-deploys-go", name: "Deploys" }, "model", version);
    assertLike(await memory.list(), [{ slug: "where-deploys-go", name: "Deploys" }]);
  });

  check("a topic is renamed as it is", async ({ memory }) => {
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    const { text } = (await memory.read("a"))!;
    await memory.write(draft("b"), "model", "none");
    assertLike(await memory.rename("a", "b", "model", version), { kind: "stale", slug: "b" });
    assertLike(await memory.rename("a", "c", "model", version), { kind: "written", slug: "c", version });
    assert.deepEqual([await memory.read("a"), (await memory.read("c"))?.text], [undefined, text]);
    assert.equal(await memory.head(), "- [About b](b.md): what b is\n- [About a](c.md): what a is\n");
    assert.deepEqual(await memory.forgotten(), []);
  });

  check("a topic that the user dismissed stays so when it is changed, and stays whose it is", async ({ memory }) => {
    const first = versionIn(await memory.write(draft("a"), "model", "none"));
    const dismissed = versionIn(await memory.setRecall("a", "off"));
    assert.notEqual(dismissed, first);
    assertLike(await memory.setRecall("a", "off"), { kind: "unchanged", version: dismissed });
    assertLike((await memory.read("a"))!, { recall: "off", author: "model", body: "The fact of a." });
    const changed = versionIn(await memory.write(draft("a", { body: "New." }), "model", dismissed));
    assertLike((await memory.read("a"))!, { recall: "off", body: "New.", version: changed });
    await memory.setRecall("a", "on");
    const { recall, text } = (await memory.read("a"))!;
    assert.deepEqual([recall, text.includes("recall")], ["on", false]);
    assertLike(await memory.setRecall("missing", "off"), { because: "not-there" });
  });

  check("the user's own topic is not changed by others: they propose", async ({ memory }) => {
    const version = versionIn(await memory.write(draft("a"), "user", "none"));
    for (const by of ["model", "dream"] as const) {
      assertLike(await memory.forget("a", by, "why not", version), { because: "user-written" });
      assertLike(await memory.rename("a", "b", by, version), { because: "user-written" });
      const outcome = await memory.write(draft("a", { body: `By the ${by}.` }), by, version);
      assertLike(outcome, { kind: "proposed", topic: "a" });
    }
    assertLike((await memory.read("a"))!, { version, author: "user" });
    assertLike(await memory.forget("a", "user", "mine", version), { kind: "written" });
  });

  check("a draft that cannot be a topic is refused, with the reason", async ({ memory }) => {
    for (const [because, more, why] of REFUSALS) {
      const outcome = await memory.write(draft("a", more), "model", "none");
      assertLike(outcome, { kind: "refused", because });
      assert.ok("why" in outcome && outcome.why.includes(why), JSON.stringify(outcome));
    }
    assert.deepEqual(await memory.list(), []);
  });

  const small = { limits: { indexLines: 2, indexBytes: 80 } };
  check(
    "a full index says how much is free, and takes what makes it no longer",
    async ({ memory }) => {
      const a = versionIn(await memory.write(draft("a"), "model", "none"));
      const refused = await memory.write(draft("b", { description: "x".repeat(60) }), "model", "none");
      assertLike(refused, { because: "index-full", headroom: { lines: 1, bytes: 51 } });
      assert.match(
        "why" in refused ? refused.why : "",
        /1 lines and 80 bytes are needed, 1 of 2 lines and 51 of 80 bytes are free/,
      );
      const b = versionIn(await memory.write(draft("b"), "model", "none"));
      assertLike(await memory.write(draft("c"), "model", "none"), { headroom: { lines: 0, bytes: 22 } });
      versionIn(await memory.write(draft("a", { body: "Another." }), "model", a));
      versionIn(await memory.forget("b", "model", "no longer so", b));
      versionIn(await memory.write(draft("c"), "model", "none"));
      assert.deepEqual(await slugsOf(memory), ["a", "c"]);
    },
    small,
  );

  check("a closed memory is closed", async ({ memory }) => {
    await memory.close();
    await assert.rejects(memory.list(), /was closed here/);
  });
}

const REFUSALS: readonly (readonly [because: string, more: Partial<TopicDraft>, why: string])[] = [
  ["bad-name", { name: "" }, "The name is empty."],
  ["bad-name", { name: "a\nb" }, "The name has the character U+000A."],
  ["bad-name", { name: "x".repeat(81) }, "The name has 81 characters; at most 80 are possible."],
  ["bad-name", { slug: "../up" }, '"../up" cannot name a topic.'],
  ["bad-name", { slug: "memory" }, '"memory" cannot name a topic.'],
  ["bad-text", { description: " " }, "The description is empty."],
  ["bad-text", { type: "rule" as "user" }, 'The type is "rule". Use one of user, feedback, project, reference.'],
  ["bad-text", { body: "\n" }, "The body is empty."],
  ["bad-text", { body: "a\u001b[2Jb" }, "The body has the character U+001B."],
  ["bad-text", { body: "a\u0000b" }, "The body has the character U+0000."],
  ["bad-text", { body: "a\u{E0041}b" }, "The body has the character U+E0041."],
  ["bad-text", { body: "a\ud83d" }, "The body has half a character."],
  ["bad-text", { evidence: [{ session: "", entry: 1, quote: "q" }] }, "Evidence is a session"],
  ["too-large", { body: "x".repeat(17_000) }, "bytes; at most 16384 are possible."],
  ["secret", { body: `The key is ${["AKIA", "QYLPMN5HHHFPZAM2"].join("")}.` }, "Secrets are never kept"],
];
