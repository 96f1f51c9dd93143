import { expect, test } from "vitest";
import { openCalls } from "./turn.ts";
import type { View } from "./view.ts";

const call = (id: string) => ({ kind: "tool_call", id, name: "read", input: {} });
const result = (callId: string) => ({ kind: "tool_result", callId, content: "", status: "ok" });
const seal = { kind: "seal" };
const model = (...blocks: object[]) => ({ kind: "message", role: "assistant", blocks });
const tool = (...blocks: object[]) => ({ kind: "message", role: "user", blocks });
const idsOf = (...items: object[]) => openCalls({ items } as unknown as View).map(({ call: { id } }) => id);

test("calls behind the newest request that no result answers, in order", () => {
  expect(idsOf()).toEqual([]);
  expect(idsOf(seal, model(call("a"), call("b")))).toEqual(["a", "b"]);
  expect(idsOf(seal, model(call("a"), call("b")), tool(result("b")))).toEqual(["a"]);
  expect(idsOf(seal, model(call("a")), seal)).toEqual([]);
});

test("an id that is used twice is open as often as it has no result", () => {
  expect(idsOf(seal, model(call("a"), call("a")), tool(result("a")))).toEqual(["a"]);
  expect(idsOf(seal, tool(result("a")), model(call("a")))).toEqual(["a"]);
  const items = [seal, model(call("a"), call("b"), call("a"))];
  expect(openCalls({ items } as unknown as View).map(({ count }) => count)).toEqual([1, 1, 2]);
});
