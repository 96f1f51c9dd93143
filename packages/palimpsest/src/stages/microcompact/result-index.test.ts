import { expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import { estimateTokens, startCalibration } from "../../tokens/calibration.ts";
import { type MessageItem, toItem } from "../../view/item.ts";
import { createView, type View } from "../../view/view.ts";
import { createResultIndex } from "./result-index.ts";

const STORED = { stored: { file: "a.txt", bytes: 1, lines: 1, digest: "a" } } as const;
const call = (id: string): Block => ({ kind: "tool_call", id, name: "shell", input: { id } });
const result = (callId: string, content: string | readonly Block[], status: "ok" | "error" = "ok"): Block =>
  ({ kind: "tool_result", callId, content, status }) as Block;

function viewOf(...items: readonly MessageItem[]): View {
  const view = createView(startCalibration());
  view.items.push(...items);
  return view;
}

const says = (from: number, ...blocks: readonly Block[]): MessageItem =>
  toItem({ from, to: from, role: "assistant", origin: "model", blocks });
const answers = (from: number, blocks: readonly Block[], more: Partial<MessageItem> = {}): MessageItem =>
  toItem({ from, to: from, role: "user", origin: "tool", blocks, ...more });
const end = (from: number) => ({ kind: "seal", from, to: from, maxTokens: 1 }) as const;

test("each result has its call, its length and what stands before it", () => {
  const items = [
    says(1, call("a"), call("b")),
    answers(2, [result("a", "four")]),
    answers(3, [result("b", [{ kind: "text", text: "ab" } as Block, call("x"), { kind: "text", text: "c" }], "error")]),
    says(4, call("c")),
    answers(5, [result("c", "")], STORED),
    answers(6, [result("gone", "z")], { by: 9, ...STORED }),
  ];
  const view = viewOf(...items);
  const sizes = items.map(({ features }) => estimateTokens(view.calibration, features));
  const before = (count: number) => sizes.slice(0, count).reduce((sum, size) => sum + size, 0);
  const index = createResultIndex();
  index.update(view);
  expect(index.results).toEqual([
    about("a", { entry: 2, characters: 4, tokens: sizes[1], beforeTokens: before(1) }),
    about("b", { entry: 3, characters: 3, status: "error", tokens: sizes[2], beforeTokens: before(2) }),
    about("c", { entry: 5, characters: 0, state: "stored", tokens: sizes[4], beforeTokens: before(4) }),
    about("gone", {
      entry: 6,
      call: undefined,
      characters: 1,
      state: "replaced",
      tokens: sizes[5],
      beforeTokens: before(5),
    }),
  ]);
  expect(index.calls).toEqual([
    { call: call("a"), resultsBefore: 0 },
    { call: call("b"), resultsBefore: 0 },
    { call: call("c"), resultsBefore: 2 },
  ]);
  expect(index.totalTokens).toBe(before(6));
  expect(index.unplannedTokens).toBe(sizes[1]! + sizes[2]! + sizes[4]! + sizes[5]!);
  index.markPlanned();
  expect(index.unplannedTokens).toBe(0);
});

function about(callId: string, more: object): object {
  return { call: call(callId), callId, status: "ok", state: "whole", ...more };
}

test("a call that the model did not make has no result of its own", () => {
  const index = createResultIndex();
  index.update(viewOf(answers(1, [call("a")]), answers(2, [result("a", "x")])));
  expect(index.calls).toEqual([]);
  expect(index.results.map(({ call }) => call)).toEqual([undefined]);
});

test("the next request marks the ends of the two before it, since the last mark is its own", () => {
  const view = viewOf();
  const index = createResultIndex();
  const marks = [1, 2, 3].map((from) => {
    view.items.push(says(from, { kind: "text", text: "some words" }), end(from));
    index.update(view);
    return [index.totalTokens, index.markedTokens] as const;
  });
  const [[first], [second], [third]] = marks as [(typeof marks)[0], (typeof marks)[0], (typeof marks)[0]];
  expect(first).toBeGreaterThan(0);
  expect(marks.map(([, marked]) => marked)).toEqual([[first], [first, second], [second, third]]);
});

test("new items are added, and a view that changed before its end is read anew", () => {
  const view = viewOf(says(1, call("a")), answers(2, [result("a", "first")]));
  const index = createResultIndex();
  index.update(view);
  index.update(view);
  expect(index.results).toHaveLength(1);
  index.markPlanned();
  const [kept] = index.results;
  view.items.push(says(3, call("b")), end(3), answers(4, [result("b", "second")]));
  index.update(view);
  // The old ones are not read again.
  expect(index.results[0]).toBe(kept);
  expect(index.results.map(({ callId }) => callId)).toEqual(["a", "b"]);
  expect(index.unplannedTokens).toBe(index.results[1]!.tokens);

  view.items.splice(0, 2, answers(2, [result("a", "f")], { by: 5 }));
  view.changedAt = 5;
  index.update(view);
  const anew = createResultIndex();
  anew.update(view);
  const { results, calls, totalTokens, markedTokens } = anew;
  expect([index.results, index.calls, index.totalTokens, index.markedTokens]).toEqual([
    results,
    calls,
    totalTokens,
    markedTokens,
  ]);
  expect(results.map(({ call, state }) => [call?.name, state])).toEqual([
    [undefined, "replaced"],
    ["shell", "whole"],
  ]);
  // Another view, such as that of another branch.
  const other = viewOf(says(1, call("c")));
  other.changedAt = view.changedAt;
  index.update(other);
  expect([index.results, index.calls.length, index.markedTokens]).toEqual([[], 1, []]);
});
