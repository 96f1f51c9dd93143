import { createAnthropic } from "@palimpsest/provider-simulator";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AnthropicMessage, anthropic } from "../providers/anthropic.ts";
import { repairMessages } from "./repair-messages.ts";

// Repairing only renders and reads messages. Nothing is sent.
const provider = anthropic({} as never);
const model = "claude-opus-5-5";
const judge = createAnthropic();
const problem = (messages: readonly AnthropicMessage[]): string | undefined => {
  const verdict = judge.judge({ model, max_tokens: 100, messages });
  return verdict.kind === "refused" ? verdict.message : undefined;
};
const hello: AnthropicMessage = { role: "user", content: [{ type: "text", text: "Hello" }] };
const call = (id: string): AnthropicMessage => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name: "look", input: {} }],
});
const result = (id: string): AnthropicMessage => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "seen" }] }],
});

describe("repairMessages", () => {
  test("returns an equal list if it needs no repair", () => {
    const messages = [hello, call("1"), result("1")];
    expect(repairMessages(provider, model, messages)).toEqual(messages);
  });

  test("keeps thinking blocks if the only irregularity is text given as a string", () => {
    const thinking = { type: "thinking", thinking: "", signature: "signed" } as const;
    const thinkingMessage: AnthropicMessage = {
      role: "assistant",
      content: [thinking, { type: "text", text: "Yes?" }],
    };
    const repaired = repairMessages(provider, model, [{ role: "user", content: "Hello" }, thinkingMessage, hello]);
    expect(repaired).toEqual([hello, thinkingMessage, hello]);
    expect(repairMessages(provider, model, [thinkingMessage, hello])[1]?.content).toEqual([
      { type: "text", text: "Yes?" },
    ]);
  });

  test.each<[string, AnthropicMessage[]]>([
    ["a call without a result", [hello, call("1"), hello]],
    ["a result without a call", [hello, result("1")]],
    ["the beginning is missing", [result("1"), call("2"), result("2")]],
    ["two results for one call", [hello, call("1"), result("1"), result("1")]],
    ["one id for two calls", [hello, call("1"), result("1"), call("1"), result("1")]],
    ["empty text", [{ role: "user", content: "" }, hello]],
    ["the last message is the model's", [hello, { role: "assistant", content: "Yes?" }]],
  ])("repairs a list: %s", (_, broken) => {
    const before = structuredClone(broken);
    expect(problem(broken)).toBeDefined();
    const repaired = repairMessages(provider, model, broken);
    expect(problem(repaired)).toBeUndefined();
    expect(broken).toEqual(before);
    expect(repairMessages(provider, model, repaired)).toEqual(repaired);
  });

  const block = fc.oneof(
    fc.record({ type: fc.constant("text"), text: fc.string() }),
    fc.record({
      type: fc.constant("tool_use"),
      id: fc.constantFrom("1", "2", "a.b", ""),
      name: fc.string(),
      input: fc.jsonValue(),
    }),
    fc.record({
      type: fc.constant("tool_result"),
      tool_use_id: fc.constantFrom("1", "2", "3"),
      content: fc.oneof(fc.string(), fc.jsonValue()),
    }),
    fc.jsonValue(),
  );
  const message = fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({
        role: fc.constantFrom("user", "assistant", "system"),
        content: fc.oneof(fc.string(), fc.array(block, { maxLength: 5 })),
      }),
    },
    { weight: 1, arbitrary: fc.jsonValue() },
  );

  test("makes any list valid or empty", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (list) => {
        const repaired = repairMessages(provider, model, list as AnthropicMessage[]);
        if (repaired.length > 0) expect(problem(repaired)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });
});
