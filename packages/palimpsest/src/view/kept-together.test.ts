import fc from "fast-check";
import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { tiesOf, wholeFrom } from "./kept-together.ts";
import { type Item, toItem } from "./view.ts";

interface Piece {
  readonly response?: string;
  readonly calls?: readonly string[];
  readonly answers?: string;
}

function itemsOf(pieces: readonly Piece[]): Item[] {
  return pieces.map(({ response, calls = [], answers }, index) => {
    const at = index + 1;
    const blocks: Block[] = [
      { kind: "text", text: `piece ${at}` },
      ...calls.map((id): Block => ({ kind: "tool_call", id, name: "look", input: {} })),
      ...(answers === undefined
        ? []
        : [{ kind: "tool_result", callId: answers, content: "seen", status: "ok" } as const]),
    ];
    const said = response === undefined ? ({ role: "user", origin: "tool" } as const) : undefined;
    return toItem({
      from: at,
      to: at,
      blocks,
      role: said?.role ?? "assistant",
      origin: said?.origin ?? "model",
      ...(response === undefined ? {} : { responseId: response }),
    });
  });
}

test("moves a cut along several ties", () => {
  // The result belongs to a call in the second piece of a response, whose first piece stands before another result.
  const items = itemsOf([
    { response: "r", calls: ["a"] },
    { answers: "a" },
    { response: "r", calls: ["b"] },
    { answers: "b" },
  ]);
  expect(wholeFrom(items, 3)).toBe(0);
  expect(wholeFrom(items, 3, 2)).toBe(2);
});

test("ties the parts of one replacement, and not neighbors of two replacements", () => {
  const part = (from: number, by: number): Item =>
    toItem({ from, to: from + 1, by, role: "user", origin: "summary", blocks: [{ kind: "text", text: "So far." }] });
  expect(tiesOf([part(1, 9), part(1, 9), part(3, 10), part(5, 10)])).toEqual([[0, 1]]);
});

test("leaves no tie across a cut, for any items", () => {
  const piece = fc.record(
    {
      response: fc.constantFrom("r", "s", "t"),
      calls: fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 2 }),
      answers: fc.constantFrom("a", "b", "c", "d"),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), fc.nat(14), (pieces, cutAt) => {
      const items = itemsOf(pieces);
      const cut = wholeFrom(items, Math.min(cutAt, items.length));
      const parted = tiesOf(items).filter(([earlier, later]) => earlier < cut && cut <= later);
      expect(parted).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
