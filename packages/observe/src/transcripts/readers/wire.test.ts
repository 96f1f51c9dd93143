import { expect, test } from "vitest";
import { answeredCalls, toWireMessage, toWireUsage } from "./wire.ts";

test("a result of a tool is found in the form of each API", () => {
  const results = [
    toWireMessage("messages", { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "ok" }] }),
    toWireMessage("responses", { type: "function_call_output", call_id: "c", output: "ok" }),
    toWireMessage("chat", { role: "tool", tool_call_id: "c", content: "ok" }),
  ];
  for (const message of results) {
    expect(message).toMatchObject({ role: "user", origin: "tool", blocks: [{ kind: "tool_result", content: "ok" }] });
    expect(answeredCalls(message!)).toEqual(["c"]);
  }
});

test("a call of a tool has its input, whatever the form", () => {
  const called = { kind: "tool_call", callId: "c", name: "f", input: { a: 1 } };
  const json = '{"a":1}';
  const calls = [
    toWireMessage("messages", {
      role: "assistant",
      content: [{ type: "tool_use", id: "c", name: "f", input: { a: 1 } }],
    }),
    toWireMessage("responses", { type: "function_call", call_id: "c", name: "f", arguments: json }),
    toWireMessage("chat", {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: json } }],
    }),
  ];
  for (const message of calls) expect(message).toEqual({ role: "assistant", origin: "model", blocks: [called] });
});

test("what was read from a cache is part of the input of some services, and beside it at another", () => {
  const usage = { input_tokens: 100, cache_read_input_tokens: 50, cache_creation_input_tokens: 7, output_tokens: 3 };
  expect(toWireUsage("messages", usage)).toEqual({
    freshTokens: 100,
    cacheReadTokens: 50,
    cacheWriteTokens: 7,
    outputTokens: 3,
  });
  const details = { cached_tokens: 50 };
  expect(toWireUsage("responses", { input_tokens: 100, input_tokens_details: details, output_tokens: 3 })).toEqual({
    freshTokens: 50,
    cacheReadTokens: 50,
    outputTokens: 3,
  });
  expect(toWireUsage("chat", { prompt_tokens: 100, prompt_tokens_details: details, completion_tokens: 3 })).toEqual({
    freshTokens: 50,
    cacheReadTokens: 50,
    outputTokens: 3,
  });
  expect(toWireUsage("chat", null)).toBeUndefined();
});
