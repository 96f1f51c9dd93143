import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { headOf, headroomOf, type IndexedTopic, indexedSlugs, indexLine, updateIndex } from "./index-text.ts";
import { DEFAULT_LIMITS as LIMITS } from "./limits.ts";
import type { TopicType } from "./topic.ts";

const topic = (slug: string, type: TopicType = "project", description = `about ${slug}`): IndexedTopic => ({
  slug,
  type,
  description,
  name: slug.toUpperCase(),
});
const update = (text: string, topics: readonly IndexedTopic[], gone: readonly string[] = []) =>
  updateIndex(text, topics, new Set(gone), LIMITS);

describe("the lines of topics", () => {
  test("stand by type, then slug, whatever order they came in", () => {
    const topics = [topic("b"), topic("a"), topic("z", "user"), topic("m", "feedback"), topic("c", "reference")];
    const expected = ["z", "m", "a", "b", "c"].map((slug) => `- [${slug.toUpperCase()}](${slug}.md): about ${slug}\n`);
    expect(update("", topics)).toBe(expected.join(""));
    const oneByOne = topics.reduce((text, _, at) => update(text, topics.slice(0, at + 1)), "");
    expect(oneByOne).toBe(expected.join(""));
  });

  test("are written anew where they stand, and go with their topic", () => {
    const before = "# Mine\n- [B](b.md): about b\nhand-written\n- [A](a.md): about a\nend";
    expect(update(before, [topic("a", "user", "new"), topic("c")])).toBe(
      "# Mine\nhand-written\n- [A](a.md): new\n- [C](c.md): about c\nend",
    );
  });

  test("by someone else are kept, and need no line of ours", () => {
    const before = "- [Deploys](deploy.md) — read this first\n* [Old](old.md) - gone\n* [Plan](plan.md) - to come\n";
    expect(update(before, [topic("deploy")], ["old"])).toBe(
      "- [Deploys](deploy.md) — read this first\n* [Plan](plan.md) - to come\n",
    );
  });

  test("go behind a last line that has no ending", () => {
    expect(update("mine", [topic("a")])).toBe("mine\n- [A](a.md): about a\n");
    expect(update("mine\r\nown", [topic("a")])).toBe("mine\r\nown\r\n- [A](a.md): about a\r\n");
  });

  test("are cut to a length between characters, and hold any name", () => {
    const long = indexLine({ ...topic("a"), description: "😀".repeat(300) }, LIMITS);
    expect([...long]).toHaveLength(150);
    expect(long.isWellFormed()).toBe(true);
    const odd = indexLine({ ...topic("a", "user", "b\nc"), name: "x](evil.md) [\\" }, LIMITS);
    expect(odd).toBe("- [x\\](evil.md) \\[\\\\](a.md): b c");
    expect(indexedSlugs(odd)).toEqual(["a"]);
    expect(indexLine({ ...topic("a"), name: "n".repeat(200) }, LIMITS)).toContain(": about a");
  });
});

test("any text keeps its own lines; every topic has one line, and then nothing changes any more", () => {
  const slug = fc.constantFrom("a", "b", "c", "d", "e");
  const type = fc.constantFrom<TopicType>("user", "feedback", "project", "reference");
  const topics = fc.uniqueArray(fc.record({ slug, type, name: fc.string(), description: fc.string() }), {
    selector: (one) => one.slug,
  });
  const line = fc.oneof(
    slug.map((name) => `- [x](${name}.md): something`),
    slug.map((name) => `  * [x](${name}.md) mine`),
    fc.string(),
    fc.constantFrom("# Heading", "", "see [x](a.md)", "- [](a.md)", "- [x](A.md): no", "- [x](memory.md): no"),
  );
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"))
    .map(([lines, ending]) => lines.join(ending));
  fc.assert(
    fc.property(text, topics, (before, present) => {
      const after = update(before, present);
      expect(update(after, present)).toBe(after);
      expect(indexedSlugs(after)).toEqual(expect.arrayContaining(present.map((one) => one.slug)));
      const links = after.split(/\r?\n/).filter((one) => /^- \[(?:\\.|[^\]\\])*\]\([a-e]\.md\)(?:: .*)?$/.test(one));
      expect(new Set(links).size).toBe(links.length);
      const foreign = (lines: string) => lines.split(/\r?\n/).filter((one) => indexedSlugs(one).length === 0);
      expect(foreign(after).filter((one) => one !== "")).toEqual(foreign(before).filter((one) => one !== ""));
    }),
    { numRuns: 1_000 },
  );
});

describe("the head", () => {
  const head = (text: string) => headOf(Buffer.from(text), LIMITS);
  const lines = (count: number, length = 10) => `${"x".repeat(length)}\n`.repeat(count);

  test("is the index, as long as that is within its limits", () => {
    for (const text of [lines(200), lines(200).trimEnd(), lines(100, 249)]) expect(head(text)).toBe(text);
    expect([head(""), head(" \n\n")]).toEqual([undefined, undefined]);
  });

  test("is cut at 200 lines, and says so", () => {
    const cut = head(lines(312))!;
    expect(cut.split("\n")).toHaveLength(202);
    expect(cut).toContain("200 of its 312 lines are shown, 2200 of 3432 bytes");
  });

  test("is cut at 25,000 bytes, between lines", () => {
    const cut = head(lines(120, 250))!;
    expect(cut).toContain("99 of its 120 lines are shown, 24849 of 30120 bytes");
    expect(cut.startsWith(lines(99, 250))).toBe(true);
    expect(head("é".repeat(20_000))).toContain("0 of its 1 lines are shown");
  });

  test("headroom is what is free", () => {
    expect(headroomOf("", LIMITS)).toEqual({ lines: 200, bytes: 25_000 });
    expect(headroomOf(lines(210), LIMITS)).toEqual({ lines: -10, bytes: 25_000 - 2_310 });
  });
});
