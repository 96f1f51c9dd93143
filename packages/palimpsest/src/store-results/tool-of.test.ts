import { expect, test } from "vitest";
import { type Item, toItem } from "../view/view.ts";
import { toolOf } from "./store.ts";

const calls = (from: number, ...named: readonly (readonly [string, string])[]): Item =>
  toItem({
    from,
    to: from,
    role: "assistant",
    origin: "model",
    blocks: named.map(([id, name]) => ({ kind: "tool_call", id, name, input: {} })),
  });
const seal: Item = { kind: "seal", from: 3, to: 3, maxTokens: 1_000 };

test("the tool of a call is found by its id, and the newest call counts", () => {
  const items = [calls(1, ["a", "old"]), calls(2, ["a", "look"], ["b", "read"]), calls(4, ["c", "shell"])];
  expect(["a", "b", "c", "d"].map((id) => toolOf(items, id))).toEqual(["look", "read", "shell", undefined]);
});

test("calls before the newest request are not searched", () => {
  const items = [calls(1, ["a", "look"]), seal, calls(4, ["b", "read"])];
  expect([toolOf(items, "a"), toolOf(items, "b")]).toEqual([undefined, "read"]);
  expect(toolOf([], "a")).toBeUndefined();
});
