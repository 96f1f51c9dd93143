import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { draft, temporaryMemory, versionIn } from "./testing/temporary-memory.ts";

describe("topics", () => {
  test("are written, read and listed, and stand in the index", async () => {
    const { memory, text } = await temporaryMemory();
    expect([await memory.list(), await memory.head(), await memory.read("a")]).toEqual([[], undefined, undefined]);
    const outcome = await memory.write(draft("b", { type: "user" }), "model", "none");
    expect(outcome).toMatchObject({ kind: "written", slug: "b", commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
    await memory.write(draft("a"), "user", "none");
    expect(await memory.list()).toMatchObject([
      { slug: "a", type: "project", author: "user", updatedAtMs: Date.UTC(2026, 10, 15, 0, 0, 2) },
      { slug: "b", type: "user", author: "model", version: versionIn(outcome) },
    ]);
    expect(await memory.read("b")).toMatchObject({ body: "The fact of b.", name: "About b", text: text("b.md") });
    expect(await memory.head()).toBe("- [About b](b.md): what b is\n- [About a](a.md): what a is\n");
    expect(await memory.head()).toBe(text("MEMORY.md"));
  });

  test("are changed only by who has read what is there", async () => {
    const { memory } = await temporaryMemory();
    const first = versionIn(await memory.write(draft("a"), "model", "none"));
    expect(await memory.write(draft("a"), "model", "none")).toEqual({ kind: "stale", slug: "a", version: first });
    expect(await memory.write(draft("a", { body: "New." }), "model", "0")).toMatchObject({ kind: "stale" });
    const second = versionIn(await memory.write(draft("a", { body: "New." }), "model", first));
    expect(await memory.write(draft("a", { body: "Newer." }), "model", first)).toEqual({
      kind: "stale",
      slug: "a",
      version: second,
    });
    expect(await memory.write(draft("a", { body: "New." }), "dream", second)).toMatchObject({ kind: "unchanged" });
    expect(await memory.forget("a", "model", "wrong", first)).toMatchObject({ kind: "stale" });
    expect(await memory.forget("b", "model", "wrong", first)).toEqual({ kind: "stale", slug: "b", version: "none" });
    expect(await memory.read("a")).toMatchObject({ body: "New.", author: "model" });
  });

  test("get a slug from their name, and keep it", async () => {
    const { memory } = await temporaryMemory();
    const { slug: _, ...unnamed } = draft("x", { name: "Where deploys go" });
    const version = versionIn(await memory.write(unnamed, "model", "none"));
    await memory.write({ ...unnamed, slug: "where-deploys-go", name: "Deploys" }, "model", version);
    expect(await memory.list()).toMatchObject([{ slug: "where-deploys-go", name: "Deploys" }]);
  });

  test("are renamed as they are", async () => {
    const { memory, has, text } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    const before = text("a.md");
    await memory.write(draft("b"), "model", "none");
    expect(await memory.rename("a", "b", "model", version)).toMatchObject({ kind: "stale", slug: "b" });
    expect(await memory.rename("a", "c", "model", version)).toMatchObject({ kind: "written", slug: "c", version });
    expect([has("a.md"), text("c.md")]).toEqual([false, before]);
    expect(await memory.head()).toBe("- [About b](b.md): what b is\n- [About a](c.md): what a is\n");
    expect(await memory.forgotten()).toEqual([]);
  });

  test("belong to this user only, whatever the umask", async () => {
    const umask = process.umask(0);
    try {
      const { memory, folder } = await temporaryMemory();
      versionIn(await memory.write(draft("a"), "model", "none"));
      await memory.propose(draft("b"), "model", "from a web page");
      const paths = ["", "a.md", "MEMORY.md", "inbox", "inbox/b.md", ".palimpsest", ".palimpsest/index.sqlite"];
      const ours = [".palimpsest/history.git", ".palimpsest/history.git/config", ".palimpsest/history.git/objects"];
      expect([...paths, ...ours].map((path) => statSync(join(folder, path)).mode & 0o077)).toEqual(
        [...paths, ...ours].map(() => 0),
      );
    } finally {
      process.umask(umask);
    }
  });
});

describe("refusals", () => {
  test.each([
    ["bad-name", { name: "" }, "The name is empty."],
    ["bad-name", { name: "a\nb" }, "The name has the character U+000A."],
    ["bad-name", { name: "x".repeat(81) }, "The name has 81 characters; at most 80 are possible."],
    ["bad-name", { slug: "../up" }, '"../up" cannot name a topic.'],
    ["bad-name", { slug: "memory" }, '"memory" cannot name a topic.'],
    ["bad-text", { description: " " }, "The description is empty."],
    ["bad-text", { type: "rule" as "user" }, 'The type is "rule". Use one of user, feedback, project, reference.'],
    ["bad-text", { body: "\n" }, "The body is empty."],
    ["bad-text", { body: "a\u001b[2Jb" }, "The body has the character U+001B."],
    ["bad-text", { body: "a\u{E0041}b" }, "The body has the character U+E0041."],
    ["bad-text", { body: "a\ud83d" }, "The body has half a character."],
    ["bad-text", { evidence: [{ session: "", entry: 1, quote: "q" }] }, "Evidence is a session"],
    ["too-large", { body: "x".repeat(17_000) }, "bytes; at most 16384 are possible."],
  ])("%s: %#", async (because, more, why) => {
    const { memory, has } = await temporaryMemory();
    const outcome = await memory.write(draft("a", more), "model", "none");
    expect(outcome).toMatchObject({ kind: "refused", because, why: expect.stringContaining(why) });
    expect(has("a.md")).toBe(false);
  });

  test("a full index says how much is free, and takes what makes it no longer", async () => {
    const { memory } = await temporaryMemory({ limits: { indexLines: 2, indexBytes: 80 } });
    const a = versionIn(await memory.write(draft("a"), "model", "none"));
    expect(await memory.write(draft("b", { description: "x".repeat(60) }), "model", "none")).toMatchObject({
      because: "index-full",
      headroom: { lines: 1, bytes: 51 },
      why: expect.stringContaining("1 lines and 80 bytes are needed, 1 of 2 lines and 51 of 80 bytes are free"),
    });
    const b = versionIn(await memory.write(draft("b"), "model", "none"));
    expect(await memory.write(draft("c"), "model", "none")).toMatchObject({ headroom: { lines: 0, bytes: 22 } });
    versionIn(await memory.write(draft("a", { body: "Another." }), "model", a));
    versionIn(await memory.forget("b", "model", "no longer so", b));
    versionIn(await memory.write(draft("c"), "model", "none"));
    expect((await memory.list()).map(({ slug }) => slug)).toEqual(["a", "c"]);
  });

  test("an inbox is full at some point", async () => {
    const { memory } = await temporaryMemory({ limits: { proposals: 1 } });
    expect(await memory.propose(draft("a"), "model", "a web page")).toMatchObject({ kind: "proposed" });
    expect(await memory.propose(draft("b"), "model", "a web page")).toMatchObject({
      because: "inbox-full",
      why: "1 proposals wait in the inbox; at most 1 can. Decide on some.",
    });
  });
});

describe("the inbox", () => {
  test("keeps what is proposed out of everything else until the user says yes", async () => {
    const { memory, has, text } = await temporaryMemory();
    const proposed = await memory.propose(draft("a"), "model", "it comes from a web page");
    expect(proposed).toMatchObject({ kind: "proposed", slug: "a", topic: "a", why: "it comes from a web page" });
    expect([await memory.list(), await memory.head(), await memory.read("a")]).toEqual([[], undefined, undefined]);
    expect(await memory.propose(draft("a"), "model", "again")).toMatchObject({ kind: "unchanged", slug: "a" });
    await memory.propose(draft("a", { body: "Something else." }), "dream", "another page");
    expect(await memory.inbox()).toMatchObject([
      { slug: "a", topic: "a", by: "model", why: "it comes from a web page", over: "none", draft: draft("a") },
      { slug: "a-2", topic: "a", by: "dream", draft: { body: "Something else." } },
    ]);
    expect(await memory.accept("a")).toMatchObject({ kind: "written", slug: "a" });
    expect([has("inbox/a.md"), has("a.md"), await memory.head()]).toEqual([
      false,
      true,
      "- [About a](a.md): what a is\n",
    ]);
    expect(text("a.md")).not.toContain("why:");
    expect(await memory.read("a")).toMatchObject({ author: "model" });
    expect(await memory.accept("a")).toMatchObject({ because: "not-there" });
  });

  test("tells what the user has said of memories: confirmed, corrected, rejected", async () => {
    const emitted: string[] = [];
    const { memory, put, text } = await temporaryMemory({
      emit: (newEvent) => emitted.push(newEvent.kind === "memory-judged" ? newEvent.verdict : newEvent.kind),
    });
    for (const slug of ["a", "b", "c"]) await memory.propose(draft(slug), "model", "a web page");
    await memory.accept("a");
    put("inbox/b.md", text("inbox/b.md").replace("The fact of b.", "Another fact."));
    await memory.accept("b");
    await memory.reject("c");
    expect(emitted).toEqual(["confirmed", "corrected", "rejected"]);
    expect(await memory.accept("c")).toMatchObject({ kind: "refused" });
    const version = versionIn(await memory.write(draft("d"), "model", "none"));
    const own = versionIn(await memory.write(draft("d", { body: "The user's." }), "user", version));
    await memory.write(draft("d", { body: "And again." }), "user", own);
    const model = versionIn(await memory.write(draft("e"), "model", "none"));
    await memory.forget("e", "user", "It is over.", model);
    expect(emitted.slice(3)).toEqual(["corrected", "rejected"]);
  });

  test("does not overwrite what was changed since the proposal, unless it is said", async () => {
    const { memory } = await temporaryMemory();
    await memory.propose(draft("a", { body: "Proposed." }), "model", "a web page");
    const version = versionIn(await memory.write(draft("a"), "user", "none"));
    expect(await memory.accept("a")).toEqual({ kind: "stale", slug: "a", version });
    expect(await memory.accept("a", version)).toMatchObject({ kind: "written" });
    expect(await memory.read("a")).toMatchObject({ body: "Proposed.", author: "user" });
  });

  test("remembers a no", async () => {
    const { memory } = await temporaryMemory();
    await memory.propose(draft("a"), "model", "a web page");
    expect(await memory.reject("a")).toMatchObject({ kind: "written", slug: "a", version: "none" });
    expect(await memory.propose(draft("b", { body: "the fact,  OF a!" }), "model", "another page")).toMatchObject({
      because: "forgotten",
      why: "The user did not want it: the user said no to it. Do not propose it again.",
    });
    expect(await memory.write(draft("a"), "model", "none")).toMatchObject({ because: "forgotten" });
    expect(await memory.inbox()).toEqual([]);
    expect(await memory.reject("a")).toMatchObject({ because: "not-there" });
  });
});

describe("forgetting", () => {
  test("keeps the text where it is never recalled", async () => {
    const { memory, has, text } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    await memory.forget("a", "model", "it moved to Dublin", version);
    expect([has("a.md"), await memory.list(), await memory.head()]).toEqual([false, [], undefined]);
    expect(text("forgotten/a.md")).toContain("The fact of a.");
    expect(await memory.forgotten()).toMatchObject([{ slug: "a", topic: "a", because: "it moved to Dublin" }]);
    // Told, and written: it was not the user who forgot it.
    const again = await memory.write(draft("a"), "model", "none");
    expect(again).toMatchObject({ kind: "written", forgotten: { because: "it moved to Dublin" } });
    await memory.forget("a", "dream", "again", versionIn(again));
    expect((await memory.forgotten()).map(({ slug }) => slug)).toEqual(["a", "a-2"]);
  });

  test("by the user is not undone by a model", async () => {
    const { memory } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    await memory.forget("a", "user", "private", version);
    expect(await memory.write(draft("a", { body: "New." }), "model", "none")).toMatchObject({
      kind: "proposed",
      why: "the user had it forgotten: private",
    });
    expect(await memory.write(draft("z", { body: "The fact of a." }), "dream", "none")).toMatchObject({
      because: "forgotten",
      why: "The user did not want it: private. Do not propose it again.",
    });
    expect(await memory.write(draft("a"), "user", "none")).toMatchObject({
      kind: "written",
      forgotten: { topic: "a" },
    });
  });

  test("is not for others where the topic is the user's", async () => {
    const { memory } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "user", "none"));
    for (const by of ["model", "dream"] as const) {
      expect(await memory.forget("a", by, "why not", version)).toMatchObject({ because: "user-written" });
      expect(await memory.rename("a", "b", by, version)).toMatchObject({ because: "user-written" });
    }
    expect(await memory.forget("a", "user", "mine", version)).toMatchObject({ kind: "written" });
  });
});

test("several users of one folder lose nothing", async () => {
  const { reopen, memory } = await temporaryMemory();
  const users = [memory, await reopen(), await reopen()];
  const outcomes = await Promise.all(
    users.flatMap((user, number) =>
      Array.from({ length: 6 }, async (_, at) => {
        await user.write(draft(`own-${number}-${at}`), "model", "none");
        // All of them count in one topic: each has to see what the others have counted.
        for (;;) {
          const now = await user.read("count");
          const body = `${Number(now?.body ?? 0) + 1}`;
          const outcome = await user.write(draft("count", { body }), "model", now?.version ?? "none");
          if (outcome.kind === "written") return outcome.kind;
          expect(outcome.kind).toBe("stale");
        }
      }),
    ),
  );
  expect(outcomes).toHaveLength(18);
  expect(await memory.read("count")).toMatchObject({ body: "18" });
  expect(await memory.list()).toHaveLength(19);
});

test("what is closed is closed", async () => {
  const { memory } = await temporaryMemory();
  await memory.close();
  await expect(memory.list()).rejects.toThrow("was closed here");
});
