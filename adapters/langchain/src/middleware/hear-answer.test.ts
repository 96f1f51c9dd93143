import { expect, test } from "vitest";
import { hearAnswer } from "./hear-answer.ts";

/** The callback of a call's settings, as the framework would call it. */
function listen() {
  const heard = hearAnswer("a-model");
  const [callback] = heard.settings(undefined)["callbacks"] as [{ handleChatModelStreamEvent(event: unknown): void }];
  return { heard, add: (event: object) => callback.handleChatModelStreamEvent(event) };
}

test("nothing that has arrived is no answer: nobody knows whether it was billed", () => {
  expect(listen().heard.answer()).toBeUndefined();
});

test("inputs of tool calls come as snapshots, and are counted once", () => {
  const { heard, add } = listen();
  add({ event: "message-start", id: "msg_1", usage: { input_tokens: 50, output_tokens: 1 } });
  add({
    event: "content-block-start",
    index: 0,
    content: { type: "tool_call_chunk", id: "a", name: "look", args: "" },
  });
  for (const args of ['{"at"', '{"at": 12'])
    add({
      event: "content-block-delta",
      index: 0,
      delta: { type: "block-delta", fields: { type: "tool_call_chunk", args } },
    });
  add({ event: "content-block-delta", index: 1, delta: { type: "reasoning-delta", reasoning: "Hm." } });
  add({ event: "content-block-delta", index: 2, delta: { type: "text-delta", text: "There" } });
  expect(heard.answer()).toMatchObject({
    responseId: "msg_1",
    model: "a-model",
    text: "There",
    calls: ["look"],
    unshownCharacters: '{"at": 12'.length + "Hm.".length,
    usage: { freshTokens: 50 },
  });
});
