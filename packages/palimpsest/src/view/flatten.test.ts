import fc from "fast-check";
import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { createFlattener } from "./flatten.ts";
import { type Item, toItem } from "./view.ts";

const RULES = { provider: "ours", thinking: "bound" } as const;

/** Items of all sorts with few ids, so that they meet: repeated, late, orphaned, interrupted. */
const kinds = fc.constantFrom("user", "call", "result", "answer", "thought", "seal");
const items: fc.Arbitrary<Item[]> = fc.array(fc.tuple(kinds, fc.nat(3)), { maxLength: 30 }).map((list) =>
  list.map(([kind, number], index) => {
    const from = index + 1;
    if (kind === "seal") return { kind: "seal", from, to: from, maxTokens: 1 };
    const blocks: Block[] =
      kind === "call"
        ? [{ kind: "tool_call", id: `${number}`, name: "look", input: {} }]
        : kind === "result"
          ? [{ kind: "tool_result", callId: `${number}`, content: `of ${from}`, status: "ok" }]
          : kind === "thought"
            ? [{ kind: "thinking", provider: "ours", text: "", signature: `${from}` }]
            : [{ kind: "text", text: `${kind} ${from}` }];
    const role = kind === "user" || kind === "result" ? "user" : "assistant";
    const responseId = role === "assistant" && number > 0 ? { responseId: `r${number}` } : {};
    return toItem({ from, to: from, role, blocks, origin: role === "user" ? "human" : "model", ...responseId });
  }),
);

const flattenAtOnce = (list: readonly Item[]) => {
  const flattener = createFlattener(RULES);
  flattener.update(list, 0);
  return structuredClone(flattener.messages);
};

test("kept up item by item, it is what it would be at once", () => {
  fc.assert(
    fc.property(items, (list) => {
      const flattener = createFlattener(RULES);
      for (let length = 1; length <= list.length; length++) {
        const before = structuredClone(flattener.messages);
        const unchanged = flattener.update(list.slice(0, length), length - 1);
        expect(flattener.messages.slice(0, unchanged)).toEqual(before.slice(0, unchanged));
      }
      expect(flattener.messages).toEqual(flattenAtOnce(list));
    }),
  );
});

test("a change in the middle gives what it would be from the start", () => {
  fc.assert(
    fc.property(items, fc.nat(29), (list, nat) => {
      const at = Math.min(nat, list.length - 1);
      if (list[at]?.kind !== "message") return;
      const changed = list.with(
        at,
        toItem({ from: at + 1, to: at + 1, role: "user", blocks: [{ kind: "text", text: "instead" }], origin: "host" }),
      );
      const flattener = createFlattener(RULES);
      flattener.update(list, 0);
      flattener.update(changed, at);
      expect(flattener.messages).toEqual(flattenAtOnce(changed));
    }),
  );
});

test("what a request held, later requests begin with, block by block", () => {
  const blocksOf = (list: readonly Item[]) =>
    flattenAtOnce(list).flatMap(({ role, blocks }) => blocks.map((block) => ({ role, block })));
  fc.assert(
    fc.property(items, (list) => {
      const seals = list.flatMap((item, index) => (item.kind === "seal" ? [index + 1] : []));
      for (const [earlier, later] of seals.slice(1).map((end, index) => [seals[index]!, end] as const)) {
        const before = blocksOf(list.slice(0, earlier));
        expect(blocksOf(list.slice(0, later)).slice(0, before.length)).toEqual(before);
      }
    }),
  );
});

test("what was joined to an earlier message goes with its segment, also if a segment between them is empty", () => {
  const says = (from: number, text: string): Item =>
    toItem({ from, to: from, role: "user", blocks: [{ kind: "text", text }], origin: "human" });
  const seal = (from: number): Item => ({ kind: "seal", from, to: from, maxTokens: 1 });
  const flattener = createFlattener(RULES);
  const list = [says(1, "one"), seal(2), says(3, " "), seal(4), says(5, "secret"), seal(6)];
  flattener.update(list, 0);
  const unchanged = flattener.update([list[0]!, list[1]!], 2);
  expect([unchanged, flattener.messages]).toEqual([0, flattenAtOnce(list.slice(0, 2))]);
});

test("the ends of the newest requests are known, except where the last message grew", () => {
  const user = (from: number): Item =>
    toItem({ from, to: from, role: "user", blocks: [{ kind: "text", text: `${from}` }], origin: "human" });
  const model = (from: number): Item =>
    toItem({ from, to: from, role: "assistant", blocks: [{ kind: "text", text: `${from}` }], origin: "model" });
  const seal = (from: number): Item => ({ kind: "seal", from, to: from, maxTokens: 1 });
  const flattener = createFlattener(RULES);
  flattener.update([user(1), seal(2), model(3), user(4), seal(5), user(6), seal(7), model(8), user(9), seal(10)], 0);
  expect(flattener.messages).toHaveLength(5);
  // The request of entry 5 ended in the message that the user added to at entry 6.
  expect(flattener.newestEnds(4)).toEqual([1, 3, 5]);
  expect(flattener.newestEnds(1)).toEqual([5]);
});
