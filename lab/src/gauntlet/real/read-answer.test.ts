import { expect, test } from "vitest";
import { readAnswer } from "./read-answer.ts";

const line = (event: object): string => `event: x\ndata: ${JSON.stringify(event)}\n\n`;

test("a stream: its words, and the newest count of each kind", () => {
  const body = [
    line({
      type: "message_start",
      message: { content: [], usage: { input_tokens: 5, cache_read_input_tokens: 100, output_tokens: 1 } },
    }),
    line({ type: "content_block_delta", delta: { type: "text_delta", text: "The tariff " } }),
    line({ type: "content_block_delta", delta: { type: "text_delta", text: "is 7." } }),
    line({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } }),
  ].join("");
  expect(readAnswer(body, "text/event-stream; charset=utf-8")).toEqual({
    text: "The tariff is 7.",
    usage: {
      freshTokens: 5,
      cacheReadTokens: 100,
      cacheWriteTokens: 0,
      longCacheWriteTokens: 0,
      outputTokens: 9,
      thinkingTokens: 0,
    },
  });
});

test("a whole response, writes of both lifetimes, an error, and what is no answer at all", () => {
  const usage = { input_tokens: 1, cache_creation_input_tokens: 30, cache_creation: { ephemeral_1h_input_tokens: 10 } };
  const whole = readAnswer(JSON.stringify({ content: [{ type: "text", text: "Yes." }], usage }), "application/json");
  expect(whole).toMatchObject({ text: "Yes.", usage: { cacheWriteTokens: 20, longCacheWriteTokens: 10 } });
  const error = { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } };
  expect(readAnswer(JSON.stringify(error), "application/json")).toEqual({ text: "", error: "prompt is too long" });
  expect(readAnswer("<html>", "text/html")).toEqual({ text: "" });
});
