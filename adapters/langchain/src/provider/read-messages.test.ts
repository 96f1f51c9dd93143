import { AIMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import { toLiveMessages } from "./live-messages.ts";
import { countCleared, readMessages, toSyncMessages } from "./read-messages.ts";
import { renderMessage } from "./render-message.ts";

const call = { type: "tool_call", id: "c1", name: "look", args: { at: 1 } } as const;

describe("answers", () => {
  test("are sent back in the same bytes, streamed or whole", () => {
    const streamed = new AIMessage({
      content: [
        { index: 0, type: "thinking", thinking: "", signature: "abc" },
        { index: 1, type: "text", text: "Let me see.", citations: null },
        { index: 2, type: "tool_use", id: "c1", name: "look", input: "" },
        { index: 2, type: "input_json_delta", input: '{"at":1}' },
      ] as never,
      tool_calls: [call],
    });
    const whole = new AIMessage({
      content: [
        { type: "thinking", thinking: "", signature: "abc" },
        { type: "text", text: "Let me see." },
        { type: "tool_use", id: "c1", name: "look", input: { at: 1 } },
      ] as never,
      tool_calls: [call],
    });
    const [one, other] = [streamed, whole].map((message) => {
      const [{ blocks }] = readMessages([message]) as [ReturnType<typeof readMessages>[number]];
      return JSON.stringify(renderMessage({ role: "assistant", blocks }));
    });
    expect(one).toBe(other);
  });

  test("have calls without a part after the text, and no calls that could not be parsed", () => {
    const message = new AIMessage({
      content: [
        { type: "text", text: "So." },
        { type: "tool_use", id: "broken", name: "look", input: "{" },
      ] as never,
      tool_calls: [call],
    });
    expect(toSyncMessages([message])[0]?.content).toEqual([
      { kind: "text", text: "So." },
      { kind: "tool_call", id: "c1", name: "look", input: { at: 1 } },
    ]);
  });

  test("have signed reasoning in the form that the service signed", () => {
    const message = { type: "ai", content: [{ type: "reasoning", reasoning: "Hm.", signature: "abc" }] };
    const [{ blocks }] = readMessages([message]) as [ReturnType<typeof readMessages>[number]];
    expect(renderMessage({ role: "assistant", blocks })[0]?.content).toEqual([
      { type: "thinking", thinking: "Hm.", signature: "abc" },
    ]);
  });
});

test("sends reasoning and signatures of additional fields back with their answer, without reports", () => {
  const carried = {
    reasoning_content: "Hm.",
    __gemini_function_call_thought_signatures__: { c1: "abc" },
  };
  const answer = new AIMessage({
    content: "So.",
    tool_calls: [call],
    additional_kwargs: { ...carried, stop_reason: "x" },
  });
  const [{ blocks }] = readMessages([answer]) as [ReturnType<typeof readMessages>[number]];
  const [live] = toLiveMessages(renderMessage({ role: "assistant", blocks }), "shortest");
  expect(live).toMatchObject({ content: "So.", tool_calls: [call], additional_kwargs: carried });
  expect(live!.additional_kwargs).not.toHaveProperty("stop_reason");
});

test("keeps ids and status of results, reads images in all forms, and skips removals", () => {
  const image = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } };
  const forms = [
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    { type: "image_url", image_url: "data:image/png;base64,AAAA" },
    { type: "image", mimeType: "image/png", data: "AAAA" },
    { type: "image", source_type: "base64", mime_type: "image/png", data: "AAAA" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
  ];
  const list = toSyncMessages([
    new HumanMessage({ content: forms as never }),
    new ToolMessage({ content: "nope", tool_call_id: "c1", status: "error" }),
    new RemoveMessage({ id: "1" }),
  ]);
  expect(list).toEqual([
    { role: "user", content: forms.map(() => image) },
    { role: "user", content: [{ kind: "tool_result", callId: "c1", content: "nope", status: "error" }] },
  ]);
});

test("counts results that the framework has cleared", () => {
  const cleared = {
    content: "[cleared]",
    tool_call_id: "1",
    response_metadata: { context_editing: { cleared: true } },
  };
  expect(countCleared([new ToolMessage(cleared), new ToolMessage({ content: "ok", tool_call_id: "2" })])).toBe(1);
});
