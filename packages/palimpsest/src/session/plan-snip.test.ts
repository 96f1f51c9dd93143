import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { type Item, type MessageItem, toItem } from "../view/view.ts";
import { planSnip, type SnipReason, type SnipTarget } from "./decisions.ts";

type Given = Partial<Omit<MessageItem, "blocks">> & { readonly blocks: readonly Block[] };

const words = (text: string): Block => ({ kind: "text", text });
const call = (id: string): Block => ({ kind: "tool_call", id, name: "shell", input: {} });
const says = (blocks: readonly Block[], responseId: string): Given => ({
  role: "assistant",
  origin: "model",
  responseId,
  blocks,
});
const answers = (callId: string): Given => ({
  origin: "tool",
  blocks: [{ kind: "tool_result", callId, content: "output", status: "error" }],
});

/** Each message is an entry, counted from 1. A request ended behind the eighth. */
const ITEMS: readonly Item[] = [
  ...[
    { blocks: [words("Do it.")] },
    says([words("I will."), call("a")], "r1"),
    says([call("b")], "r1"),
    answers("a"),
    answers("b"),
    says([call("c")], "r2"),
    answers("c"),
    says([words("Done.")], "r3"),
  ].map((given: Given, index) => toItem({ from: index + 1, to: index + 1, role: "user", origin: "human", ...given })),
  { kind: "seal", from: 8, to: 8, maxTokens: 1_000 },
];

const WHY: SnipReason = { reason: "a wrong turn", recall: "offered" };
const rangeOf = (target: SnipTarget): [number, number] | undefined => {
  const planned = planSnip(ITEMS, target, WHY);
  return planned && [planned.from, planned.to];
};

describe("a range", () => {
  test.each<[string, [number, number], [number, number] | undefined]>([
    ["that splits no pair is taken out as it is", [6, 7], [6, 7]],
    ["with a call takes its result along", [6, 6], [6, 7]],
    ["with a result takes its call along", [7, 8], [6, 8]],
    ["grows to the pieces of the response, and from these to the results of their calls", [4, 4], [2, 5]],
    ["beyond the end goes up to it", [8, 90], [8, 8]],
    ["behind everything is nothing", [9, 90], undefined],
    ["before everything is nothing", [-2, 0], undefined],
  ])("%s", (_, [from, to], taken) => expect(rangeOf({ from, to })).toEqual(taken));

  test("leaves a note in its place, which offers the content only if the model can recall it", () => {
    const textOf = (recall: SnipReason["recall"]): string =>
      JSON.stringify(planSnip(ITEMS, { from: 6, to: 7 }, { ...WHY, recall })?.with);
    expect(textOf("offered")).toContain("a wrong turn");
    expect(textOf("offered")).toMatch(/recall/i);
    expect(textOf("missing")).not.toMatch(/recall/i);
  });
});

describe("a block", () => {
  test("of a result leaves it the answer to its call, with its status", () =>
    expect(planSnip(ITEMS, { entry: 4, block: 0 }, WHY)).toMatchObject({
      from: 4,
      to: 4,
      with: [{ role: "user", origin: "tool", blocks: [{ kind: "tool_result", callId: "a", status: "error" }] }],
    }));

  test("leaves the others of its message", () => {
    const [message] = planSnip(ITEMS, { entry: 2, block: 0 }, WHY)!.with;
    expect(message).toMatchObject({ role: "assistant", blocks: [{ kind: "text" }, call("a")] });
    expect(JSON.stringify(message)).not.toContain("I will.");
  });

  test.each([
    [2, 2],
    [9, 0],
  ])("that is not there is nothing: %i, %i", (entry, block) =>
    expect(planSnip(ITEMS, { entry, block }, WHY)).toBeUndefined(),
  );
});
