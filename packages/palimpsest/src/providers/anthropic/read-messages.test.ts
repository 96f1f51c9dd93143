import fc from "fast-check";
import { expect, test } from "vitest";
import { readMessages } from "./read.ts";

test("each result is a message of its own, and the rest around them stays in order", () => {
  const content = [
    { type: "text", text: "before" },
    { type: "tool_result", tool_use_id: "a", content: "done", cache_control: { type: "ephemeral" } },
    { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "no" }], is_error: true },
    { type: "text", text: "after", cache_control: { type: "ephemeral" } },
    { type: "image", source: { type: "url", url: "https://x/y.png" } },
  ];
  expect(readMessages([{ role: "user", content }])).toEqual([
    { role: "user", origin: "human", blocks: [{ kind: "text", text: "before" }] },
    {
      role: "user",
      origin: "tool",
      blocks: [{ kind: "tool_result", callId: "a", content: "done", status: "ok" }],
    },
    {
      role: "user",
      origin: "tool",
      blocks: [{ kind: "tool_result", callId: "b", content: "no", status: "error" }],
    },
    {
      role: "user",
      origin: "human",
      blocks: [
        { kind: "text", text: "after" },
        { kind: "image", source: { kind: "url", url: "https://x/y.png" } },
      ],
    },
  ]);
});

test("texts, and words of the program", () => {
  const messages = [
    { role: "user", content: "hello" },
    { role: "system", content: "be brief" },
    { role: "assistant", content: "hi" },
    { role: "assistant", content: [{ type: "thinking", thinking: "unsigned" }] },
  ];
  expect(readMessages(messages)).toEqual([
    { role: "user", origin: "human", blocks: [{ kind: "text", text: "hello" }] },
    { role: "user", origin: "host", blocks: [{ kind: "text", text: "be brief" }] },
    { role: "assistant", origin: "model", blocks: [{ kind: "text", text: "hi" }] },
    {
      role: "assistant",
      origin: "model",
      blocks: [{ kind: "thinking", provider: "anthropic", text: "unsigned" }],
    },
  ]);
});

test("results keep what only the service can read", () => {
  const found = { type: "search_result", source: "x", title: "y", content: [] };
  const content = [{ type: "tool_result", tool_use_id: "a", content: [found] }];
  expect(readMessages([{ role: "user", content }])[0]?.blocks).toEqual([
    {
      kind: "tool_result",
      callId: "a",
      content: [{ kind: "opaque", native: { provider: "anthropic", block: found } }],
      status: "ok",
    },
  ]);
});

test("nothing makes it fail", () => {
  const role = fc.oneof(fc.constantFrom("user", "assistant", "system"), fc.anything());
  const block = fc.record(
    {
      type: fc.constantFrom("text", "tool_use", "tool_result", "thinking", "image", "document", "new"),
      text: fc.anything(),
      content: fc.anything(),
      source: fc.anything(),
      input: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const content = fc.oneof(fc.array(fc.oneof(block, fc.anything())), fc.anything());
  const message = fc.oneof(fc.record({ role, content }), fc.anything());
  fc.assert(
    fc.property(fc.array(message), (messages) => {
      for (const { blocks } of readMessages(messages)) expect(blocks.length).toBeGreaterThan(0);
    }),
  );
});
