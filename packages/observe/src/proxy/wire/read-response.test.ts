import { expect, test } from "vitest";
import { messageAnswer } from "../testing/bodies.ts";
import { readResponse } from "./read-response.ts";

const stream = (...events: readonly object[]): Buffer =>
  Buffer.from(events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join(""));
const usage = { input_tokens: 10, output_tokens: 1 };

const MESSAGE = [
  { type: "message_start", message: { id: "msg_1", model: "m", content: [], usage } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo." } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "c", name: "f", input: {} } },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"a"' } },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: ":1}" } },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: {}, usage: { output_tokens: 30, input_tokens: null } },
  { type: "message_stop" },
];

test("a streamed message is put together, with the last counts", () => {
  expect(readResponse("messages", stream(...MESSAGE))).toEqual({
    id: "msg_1",
    model: "m",
    ended: "whole",
    usage: { input_tokens: 10, output_tokens: 30 },
    items: [
      {
        role: "assistant",
        content: [
          { type: "text", text: "Hello." },
          { type: "tool_use", id: "c", name: "f", input: { a: 1 } },
        ],
      },
    ],
  });
});

test("a stream that is cut anywhere is cut, and never more than was sent", () => {
  const whole = stream(...MESSAGE);
  for (let length = 0; length < whole.length - 2; length++) {
    expect(readResponse("messages", whole.subarray(0, length))?.ended ?? "cut").toBe("cut");
  }
});

test("the last event of the Responses API has all; without it, what was finished is left", () => {
  const item = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] };
  const created = { type: "response.created", response: { id: "resp_1", model: "m", output: [] } };
  const done = { type: "response.output_item.done", item };
  const completed = { type: "response.completed", response: { id: "resp_1", model: "m", output: [item], usage } };
  expect(readResponse("responses", stream(created, done, completed))).toMatchObject({
    ended: "whole",
    items: [item],
    usage,
  });
  const cut = readResponse("responses", stream(created, done));
  expect(cut).toEqual({ id: "resp_1", model: "m", ended: "cut", items: [item] });
});

test("chunks of a chat completion are put together; its usage is in a chunk of its own", () => {
  const chunk = (delta: object, more: object = {}): object => ({ id: "c1", model: "m", choices: [{ delta, ...more }] });
  const call = (more: object): object => ({ tool_calls: [{ index: 0, ...more }] });
  const body = stream(
    chunk({ role: "assistant", content: "Let me " }),
    chunk({ content: "look." }),
    chunk(call({ id: "call_1", function: { name: "f", arguments: "" } })),
    chunk(call({ function: { arguments: "{}" } })),
    chunk({}, { finish_reason: "tool_calls" }),
    { id: "c1", choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } },
  );
  const done = Buffer.concat([body, Buffer.from("data: [DONE]\n\n")]);
  expect(readResponse("chat", done)).toEqual({
    id: "c1",
    model: "m",
    ended: "whole",
    usage: { prompt_tokens: 9, completion_tokens: 2 },
    items: [
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
    ],
  });
});

test.each(["", "nonsense", "{", '{"error":{"message":"no"}}', "data: [DONE]\n\n"])(
  "%s is no answer of a model",
  (text) => {
    for (const api of ["messages", "responses", "chat"] as const) {
      expect(readResponse(api, Buffer.from(text))).toBeUndefined();
    }
  },
);

test("an answer that is not streamed is read as a whole", () => {
  expect(readResponse("messages", Buffer.from(messageAnswer("Hi.")))).toMatchObject({
    id: "msg_1",
    ended: "whole",
    items: [{ role: "assistant", content: [{ text: "Hi." }] }],
  });
});
