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
  test("go back in their order, sealed reasoning as it came, and without ids that would bind them to it", () => {
    const [{ blocks }] = readMessages([reasoning, said("So."), call]) as [ReturnType<typeof readMessages>[number]];
    expect(renderMessage({ role: "assistant", blocks })).toEqual([
      reasoning,
      { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "So." }] },
      { type: "function_call", callId: "c1", name: "look", arguments: '{"at":1}', status: "completed" },
    ]);
  });

  test("reasoning that only refers to an item of the service is left out", () => {
    const open = { ...reasoning, providerData: {} };
    const [{ blocks }] = readMessages([open, call]) as [ReturnType<typeof readMessages>[number]];
    expect(renderMessage({ role: "assistant", blocks })).toHaveLength(1);
  });

  test("an input keeps its words where ours would be others", () => {
    const odd = { ...call, arguments: '{ "at": 1 }' };
    const [{ blocks }] = readMessages([odd]) as [ReturnType<typeof readMessages>[number]];
    expect(renderMessage({ role: "assistant", blocks })).toMatchObject([{ arguments: '{ "at": 1 }' }]);
  });
});

test("items of one answer are one message, and instructions come first", () => {
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

test("what the user gives goes back as it came: how closely images are looked at, names and types of files, sounds", () => {
  const content = [
    { type: "input_image", image: "data:image/png;base64,AAAA", detail: "low" },
    { type: "input_file", file: "data:text/csv;base64,YSxi", filename: "table.csv" },
    { type: "audio", audio: "UklGRg==", format: "wav" },
  ];
  const [{ blocks }] = readMessages([{ role: "user", content }]) as [ReturnType<typeof readMessages>[number]];
  expect(renderMessage({ role: "user", blocks })).toEqual([{ type: "message", role: "user", content }]);
});
