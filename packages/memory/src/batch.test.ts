import { describe, expect, test } from "vitest";
import type { BatchOutcome, BatchStep } from "./batch.ts";
import { commitsOf, draft, messagesOf, temporaryMemory, versionIn } from "./testing/temporary-memory.ts";

describe("a batch", () => {
  test("is one commit, and sees its own changes before anyone else does", async () => {
    const { memory, has } = await temporaryMemory();
    const a = versionIn(await memory.write(draft("a"), "model", "none"));
    const b = versionIn(await memory.write(draft("b"), "model", "none"));
    const outcome = await memory.batch("dream", "merge a and b", async (batch) => {
      expect(batch.list().map(({ slug }) => slug)).toEqual(["a", "b"]);
      const merged = await batch.write(
        draft("ab", { body: `${batch.read("a")?.body} ${batch.read("b")?.body}` }),
        "none",
      );
      expect(merged).toMatchObject({ kind: "written", slug: "ab" });
      expect(await batch.forget("a", "merged into ab", a)).toMatchObject({ kind: "written", version: "none" });
      expect(await batch.forget("b", "merged into ab", a)).toEqual({ kind: "stale", slug: "b", version: b });
      expect(await batch.rename("b", "old-b", b)).toMatchObject({ kind: "written", slug: "old-b" });
      expect([batch.read("a"), batch.read("ab")?.author, batch.list().length]).toEqual([undefined, "dream", 2]);
      expect([has("ab.md"), has("a.md"), (await memory.list()).length]).toEqual([false, true, 2]);
    });
    expect(outcome).toMatchObject({
      kind: "written",
      commit: (await commitsOf(memory))[0]!.commit,
      summary: { topics: 2, added: ["ab", "old-b"], rewritten: [], removed: ["a", "b"], proposed: [] },
    });
    expect((await messagesOf(memory))[0]).toBe("dream: merge a and b");
    expect((await memory.list()).map(({ slug }) => slug)).toEqual(["ab", "old-b"]);
    expect(await memory.head()).toBe("- [About ab](ab.md): what ab is\n- [About b](old-b.md): what b is\n");
  });

  test("is not carried out where someone else was faster, not even in part", async () => {
    const { memory, reopen, put, has } = await temporaryMemory();
    const a = versionIn(await memory.write(draft("a"), "model", "none"));
    const other = await reopen();
    const outcomes: BatchOutcome[] = [];
    for (const meanwhile of [
      () => other.write(draft("a", { body: "By another." }), "model", a),
      async () => put("new.md", "By hand."),
    ]) {
      const now = (await memory.read("a"))!.version;
      outcomes.push(
        await memory.batch("dream", "tidy up", async (batch) => {
          await batch.write(draft("new"), "none");
          await batch.write(draft("a", { body: "Tidied." }), now);
          await batch.write(draft("b"), "none");
          await meanwhile();
        }),
      );
    }
    expect(outcomes).toEqual([
      { kind: "stale", slugs: ["a"] },
      { kind: "stale", slugs: ["new"] },
    ]);
    expect([has("b.md"), (await memory.read("a"))!.body]).toEqual([false, "By another."]);
  });

  test("is held where the guard says so, and can be asked for again", async () => {
    const { memory } = await temporaryMemory();
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
    expect(outcome).toMatchObject({ kind: "held", why: "2 of 3 would go", summary: { removed: ["a", "b"] } });
    expect(await memory.list()).toHaveLength(3);
    const { steps } = outcome as { steps: readonly BatchStep[] };
    const again = await memory.batch("dream", "tidy up, as the user said", async (batch) => {
      for (const step of steps) if (step.kind === "forget") await batch.forget(step.slug, step.because, step.expected);
    });
    expect(again).toMatchObject({ kind: "written" });
    expect(await memory.list()).toHaveLength(1);
  });

  test("does not touch what is the user's: it proposes", async () => {
    const { memory } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "user", "none"));
    const outcome = await memory.batch("dream", "tidy up", async (batch) => {
      expect(await batch.write(draft("a", { body: "Better." }), version)).toMatchObject({
        kind: "proposed",
        topic: "a",
      });
      expect(await batch.forget("a", "old", version)).toMatchObject({ because: "user-written" });
      expect(await batch.propose(draft("b"), "seen on a page")).toMatchObject({ kind: "proposed" });
      expect(await batch.write(draft("c", { name: "" }), "none")).toMatchObject({ because: "bad-name" });
    });
    expect(outcome).toMatchObject({ summary: { added: [], rewritten: [], removed: [], proposed: ["a", "b"] } });
    expect((await memory.inbox()).map(({ topic }) => topic)).toEqual(["a", "b"]);
  });

  test("that changes nothing in the end is none", async () => {
    const { memory } = await temporaryMemory();
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    const outcome = await memory.batch("dream", "try", async (batch) => {
      const renamed = await batch.rename("a", "b", version);
      await batch.rename("b", "a", "version" in renamed ? renamed.version : "");
    });
    expect(outcome).toEqual({ kind: "unchanged" });
    expect(await memory.batch("dream", "nothing", async () => undefined)).toEqual({ kind: "unchanged" });
    expect(await messagesOf(memory)).toEqual(["model: write a"]);
  });

  test("that overfills the index is refused as a whole", async () => {
    const { memory } = await temporaryMemory({ limits: { indexLines: 2 } });
    const outcome = await memory.batch("dream", "learn", async (batch) => {
      for (const slug of ["a", "b", "c"]) await batch.write(draft(slug), "none");
    });
    expect(outcome).toMatchObject({ because: "index-full", headroom: { lines: 2 } });
    expect(await memory.list()).toEqual([]);
  });

  test("whose work fails leaves nothing behind", async () => {
    const { memory } = await temporaryMemory();
    const failing = memory.batch("dream", "fail", async (batch) => {
      await batch.write(draft("a"), "none");
      throw new Error("the model was not there");
    });
    await expect(failing).rejects.toThrow("the model was not there");
    expect(await memory.list()).toEqual([]);
  });
});
