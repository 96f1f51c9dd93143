import { expect, test } from "vitest";
import { listenToAnswer } from "./answer-listener.ts";

/** Returns the callback in a call's settings, in the form in which the framework calls it. */
function listen() {
  const listener = listenToAnswer("a-model");
  const [callback] = listener.settings(undefined)["callbacks"] as [
    { handleChatModelStreamEvent(event: unknown): void },
  ];
  return { listener, add: (event: object) => callback.handleChatModelStreamEvent(event) };
}

test("returns no answer if nothing has arrived, because nobody knows whether it was billed", () => {
  expect(listen().listener.answer()).toBeUndefined();
});

test("counts the input of a tool call once, although it arrives as snapshots", () => {
  const { listener, add } = listen();
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
  expect(listener.answer()).toMatchObject({
    responseId: "msg_1",
    model: "a-model",
    text: "There",
    calls: ["look"],
    unshownCharacters: '{"at": 12'.length + "Hm.".length,
    usage: { freshTokens: 50 },
  });
});
