import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { type Item, toItem } from "../view/view.ts";
import { emptyNotes, type Notes } from "./notes.ts";
import { type NotesCompactionQuestion, planNotesCompaction } from "./plan.ts";
import { NOTES_TEMPLATE } from "./template.ts";

describe("planNotesCompaction", () => {
  const countTokens = (text: string): number => Math.ceil(text.length / 4);
  const NOTES: Notes = { sections: NOTES_TEMPLATE.map((section) => ({ ...section, content: "something" })) };

  const text = (words: string): Block => ({ kind: "text", text: words });
  const call = (id: string): Block => ({ kind: "tool_call", id, name: "shell", input: {} });
  const result = (callId: string): Block => ({ kind: "tool_result", callId, content: "done", status: "ok" });

  const user = (from: number, ...blocks: readonly Block[]): Item =>
    toItem({ from, to: from, role: "user", blocks, origin: blocks[0]?.kind === "tool_result" ? "tool" : "human" });
  const model = (from: number, responseId: string | undefined, ...blocks: readonly Block[]): Item =>
    toItem({
      from,
      to: from,
      role: "assistant",
      blocks,
      origin: "model",
      ...(responseId === undefined ? {} : { responseId }),
    });
  const summaryOf = ({ to, by }: { to: number; by: number }): Item =>
    toItem({ from: 1, to, by, role: "user", blocks: [text("summary")], origin: "summary" });
  const seal = (from: number): Item => ({ kind: "seal", from, to: from, maxTokens: 1_000 });

  /** Every message has 1,000 tokens by default. */
  function plan(items: readonly Item[], more: Partial<NotesCompactionQuestion> = {}) {
    return planNotesCompaction({
      items,
      notes: NOTES,
      notesEntry: 500,
      recall: "offered",
      coveredTo: items.at(-1)!.to,
      thresholdTokens: 100_000,
      tokensOf: ({ kind }) => (kind === "seal" ? 0 : 1_000),
      countTokens,
      ...more,
    });
  }
  const words = (count: number): Item[] => Array.from({ length: count }, (_, at) => user(at + 1, text("hello")));

  describe("kept messages", () => {
    test("include all messages that the notes do not cover", () => {
      expect(plan(words(90), { coveredTo: 20 })).toMatchObject({ kind: "keep", from: 21, keptTokens: 70_000 });
    });

    test("include covered messages up to the minimum of tokens and of messages with text", () => {
      expect(plan(words(60))).toMatchObject({ kind: "keep", from: 51, keptTokens: 10_000 });
      expect(plan(words(60), { minimumTextMessages: 12 })).toMatchObject({ from: 49 });
      const results = Array.from({ length: 30 }, (_, at) => user(at + 61, result(`late-${at}`)));
      expect(plan([...words(60), ...results])).toMatchObject({ from: 56, keptTokens: 35_000 });
    });

    test("include no covered message that would exceed the maximum", () => {
      const results = Array.from({ length: 80 }, (_, at) => user(at + 61, result(`late-${at}`)));
      expect(plan([...words(60), ...results])).toMatchObject({ from: 101, keptTokens: 40_000 });
      const big = (item: Item): number => (item.from === 57 ? 39_000 : 1_000);
      expect(plan(words(60), { tokensOf: big })).toMatchObject({ from: 58, keptTokens: 3_000 });
    });

    test("include nothing before the newest boundary", () => {
      const items = [summaryOf({ to: 55, by: 70 }), ...words(60).slice(55)];
      expect(plan(items, { newestBoundary: 70 })).toMatchObject({ kind: "keep", from: 56 });
    });

    test("stay the same in a second compaction before the next update", () => {
      const items = [...words(60), seal(61), ...words(80).slice(61)];
      const planned = plan(items, { coveredTo: 60 });
      expect(planned).toMatchObject({ kind: "keep", from: 62, foldedTo: 60 });
      const later = Array.from({ length: 30 }, (_, at) => user(at + 82, text("more")));
      const again = plan([summaryOf({ to: 60, by: 81 }), ...items.slice(60), ...later], {
        coveredTo: 60,
        newestBoundary: 81,
      });
      expect(again).toMatchObject({ kind: "keep", from: 62, foldedTo: 60 });
    });

    test("include a call with its result, and all pieces of a response", () => {
      const items = [
        ...words(50),
        ...[
          model(51, "a", text("I look")),
          model(52, "a", call("x")),
          model(53, "a", call("y")),
          user(54, result("x")),
        ],
        ...[user(55, result("y")), seal(56), model(57, "b", text("so it is"))],
      ];
      const one = { minimumTokens: 2_000, minimumTextMessages: 1 };
      expect(plan(items, one)).toMatchObject({ from: 51 });
      expect(plan(items, { ...one, minimumTokens: 1_000 })).toMatchObject({ from: 57 });
    });

    test("keep pairs by position if an id is used repeatedly", () => {
      const round = (at: number): Item[] => [model(at, `r${at}`, call("0")), user(at + 1, result("0")), seal(at + 2)];
      // The first call has no result, so its id does not belong to the results after the next request.
      const items = [model(1, "r1", call("0")), seal(2), ...round(3), ...round(6), ...round(9)];
      const few = { minimumTokens: 1_000, minimumTextMessages: 0 };
      expect(plan(items, few)).toMatchObject({ from: 9 });
      const unsealed = items.filter(({ kind, from }) => kind === "message" && from > 2);
      expect(plan(unsealed, few)).toMatchObject({ from: 9 });
    });

    test("follow the notes as the summary, which name the entry with the full notes", () => {
      const long: Notes = {
        sections: NOTES.sections.map((one) => ({ ...one, content: "line of notes\n".repeat(900) })),
      };
      const planned = plan(words(60), { notes: long });
      expect(planned.kind === "keep" && planned.summary).toMatch(/^# Session title\nline of notes\n/);
      expect(planned.kind === "keep" && planned.summary).toContain("Recall entry 500");
      const unread = plan(words(60), { notes: long, recall: "missing" });
      expect(unread.kind === "keep" && unread.summary).not.toContain("Recall");
      expect(planned.kind === "keep" && planned.resultTokens).toBeLessThanOrEqual(10_000 + 10 * 2_020);
    });
  });

  describe("declined", () => {
    test.each<[string, readonly Item[], Partial<NotesCompactionQuestion>, string]>([
      ["bare notes", words(60), { notes: emptyNotes(NOTES_TEMPLATE) }, "the notes are empty"],
      ["a last covered message that is gone", words(60), { coveredTo: 61 }, "entry 61"],
      ["too much that is not covered", words(150), { coveredTo: 20 }, "130000 of them in kept messages"],
      ["too much around it", words(60), { aroundTokens: 90_000 }, "compaction is due at 100000"],
      ["a conversation that is all kept", words(8), {}, "no messages to compact"],
    ])("%s", (_, items, more, reason) => {
      const planned = plan(items, more);
      expect(planned.kind === "declined" && planned.reason).toContain(reason);
    });

    test("a boundary that covers more than the notes", () => {
      const summaryFrom = (from: number): Item =>
        toItem({ from, to: 55, by: 70, role: "user", blocks: [text("summary")], origin: "summary" });
      const [head, tail] = [words(60).slice(0, 5), words(60).slice(55)];
      const together = plan([summaryFrom(1), ...tail], { coveredTo: 40, newestBoundary: 70 });
      expect(together.kind === "declined" && together.reason).toContain("not in the view");
      const separate = plan([...head, summaryFrom(6), ...tail], { coveredTo: 5, newestBoundary: 70 });
      expect(separate.kind === "declined" && separate.reason).toContain("covers more than the notes");
      expect(plan([...head, summaryFrom(6), ...tail], { coveredTo: 55, newestBoundary: 70 })).toMatchObject({
        from: 56,
      });
    });
  });

  /** A session with known pairs, although the ids do not always identify them. */
  const round = fc.record({
    pieces: fc.array(fc.array(fc.constantFrom("text", "x", "y", "z"), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 3,
    }),
    named: fc.boolean(),
    answered: fc.infiniteStream(fc.constantFrom("now", "now", "now", "later", "never")),
    between: fc.constantFrom("nothing", "reminder", "user"),
    sealed: fc.boolean(),
  });

  interface Built {
    readonly items: Item[];
    /** Indices that must not be separated. */
    readonly ties: (readonly [number, number])[];
  }

  function build(rounds: readonly (typeof round extends fc.Arbitrary<infer Round> ? Round : never)[]): Built {
    const items: Item[] = [user(1, text("the task"))];
    const ties: (readonly [number, number])[] = [];
    const late: string[] = [];
    const add = (item: (from: number) => Item): number => items.push(item(items.length + 1)) - 1;
    for (const [index, { pieces, named, answered, between, sealed }] of rounds.entries()) {
      const calls: { id: string; at: number }[] = [];
      const indices = pieces.map((kinds) => {
        const at = add((from) =>
          model(
            from,
            named ? `response-${index}` : undefined,
            ...kinds.map((kind) => (kind === "text" ? text("so") : call(kind))),
          ),
        );
        for (const id of kinds) if (id !== "text") calls.push({ id, at });
        return at;
      });
      for (const at of indices) ties.push([indices[0]!, at]);
      if (between === "reminder")
        add((from) =>
          toItem({ from, to: from, role: "user", blocks: [text("mind")], origin: "host", attachment: "a" }),
        );
      // Results answer the calls of one id in order.
      const open = new Set<string>();
      for (const { id, at } of calls) {
        const when = open.has(id) ? "never" : answered.next().value!;
        if (when === "now") ties.push([at, add((from) => user(from, result(id)))]);
        else open.add(id);
        if (when === "later") late.push(id);
      }
      if (between === "user") add((from) => user(from, text("and this")));
      if (sealed || open.size > 0) add(seal);
      const id = late.shift();
      if (id !== undefined && index % 2 === 1) {
        add((from) => user(from, result(id)));
        add(seal);
      }
    }
    return { items, ties };
  }

  test("keeps pairs and responses together, keeps uncovered messages, and stays below the threshold, for any session", () => {
    let kept = 0;
    fc.assert(
      fc.property(
        fc.array(round, { minLength: 1, maxLength: 25 }).map(build),
        fc.nat(),
        fc.integer({ min: 0, max: 20_000 }),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 5_000, max: 60_000 }),
        ({ items, ties }, covered, minimumTokens, minimumTextMessages, thresholdTokens) => {
          const coveredTo = items[covered % items.length]!.to;
          const planned = plan(items, { coveredTo, minimumTokens, minimumTextMessages, thresholdTokens });
          if (planned.kind === "declined") return;
          kept++;
          const cut = items.findIndex(({ from }) => from === planned.from);
          for (const [one, other] of ties) expect(one < cut).toBe(other < cut);
          expect(items.slice(0, cut).filter(({ kind, to }) => kind === "message" && to > coveredTo)).toEqual([]);
          expect(items[cut]!.kind).toBe("message");
          expect(planned.resultTokens).toBeLessThan(thresholdTokens);
        },
      ),
      { numRuns: 1_000 },
    );
    // The property is checked only if a compaction was planned.
    expect(kept).toBeGreaterThan(100);
  });
});
