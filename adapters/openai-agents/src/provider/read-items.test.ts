import { describe, expect, test } from "vitest";
import { readMessages, toSyncMessages } from "./read-items.ts";
import { renderMessage } from "./render-items.ts";

const reasoning = {
  type: "reasoning",
  id: "rs_1",
  content: [{ type: "input_text", text: "Hm." }],
  providerData: { id: "rs_1", type: "reasoning", encrypted_content: "sealed" },
};
const call = {
  type: "function_call",
  id: "fc_1",
  callId: "c1",
  name: "look",
  arguments: '{"at":1}',
  status: "completed",
  providerData: { id: "fc_1", type: "function_call" },
};
const said = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, providerData: { annotations: [] } }],
});

describe("answers", () => {
  test("are sent back in order, with unchanged encrypted reasoning and without ids that depend on it", () => {
    const [{ blocks }] = readMessages([reasoning, said("So."), call]) as [ReturnType<typeof readMessages>[number]];
    expect(renderMessage({ role: "assistant", blocks })).toEqual([
      reasoning,
      { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "So." }] },
      { type: "function_call", callId: "c1", name: "look", arguments: '{"at":1}', status: "completed" },
    ]);
  });

  test("lose reasoning that only refers to an item of the service", () => {
    const open = { ...reasoning, providerData: {} };
    const [{ blocks }] = readMessages([open, call]) as [ReturnType<typeof readMessages>[number]];
    expect(renderMessage({ role: "assistant", blocks })).toHaveLength(1);
  });

  test("keep the text of an input if our form would be written differently", () => {
    const odd = { ...call, arguments: '{ "at": 1 }' };
    const [{ blocks }] = readMessages([odd]) as [ReturnType<typeof readMessages>[number]];
    expect(renderMessage({ role: "assistant", blocks })).toMatchObject([{ arguments: '{ "at": 1 }' }]);
  });
});

test("reads the items of one answer as one message, after the instructions", () => {
  const result = {
    type: "function_call_result",
    callId: "c1",
    status: "completed",
    output: { type: "text", text: "ok" },
  };
  const list = toSyncMessages("Be brief.", [{ role: "user", content: "Hi." }, reasoning, call, result, said("Done.")]);
  expect(list.map(({ role, content }) => [role, content.length])).toEqual([
    ["system", 1],
    ["user", 1],
    ["assistant", 2],
    ["user", 1],
    ["assistant", 1],
  ]);
  expect(list[3]?.content).toEqual([{ kind: "tool_result", callId: "c1", content: "ok", status: "ok" }]);
});

test("sends user content back unchanged: detail of images, names and types of files, audio", () => {
  const content = [
    { type: "input_image", image: "data:image/png;base64,AAAA", detail: "low" },
    { type: "input_file", file: "data:text/csv;base64,YSxi", filename: "table.csv" },
    { type: "audio", audio: "UklGRg==", format: "wav" },
  ];
  const [{ blocks }] = readMessages([{ role: "user", content }]) as [ReturnType<typeof readMessages>[number]];
  expect(renderMessage({ role: "user", blocks })).toEqual([{ type: "message", role: "user", content }]);
});
