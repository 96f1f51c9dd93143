import { expect, test } from "vitest";
import { createStreamCollector } from "./stream.ts";

const start = {
  type: "message_start",
  message: { id: "m", content: [], usage: { input_tokens: 5, output_tokens: 1 } },
};
const end = [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { input_tokens: null, output_tokens: 9 } },
  { type: "message_stop" },
];
const begin = (index: number, content_block: object): object => ({ type: "content_block_start", index, content_block });
const delta = (index: number, fields: object): object => ({ type: "content_block_delta", index, delta: fields });

function collect(...events: readonly object[]) {
  const collector = createStreamCollector();
  const parts = events.flatMap((event) => [...collector.add(event as never)]);
  return { parts, whole: collector.whole() };
}

test("keeps counts from the first event that the last event omits", () => {
  expect(collect(start, ...end).whole).toMatchObject({
    stop_reason: "end_turn",
    usage: { input_tokens: 5, output_tokens: 9 },
  });
});

test("adds citations and signatures to their blocks", () => {
  const { whole } = collect(
    start,
    begin(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "hm" }),
    delta(0, { type: "signature_delta", signature: "sig" }),
    begin(1, { type: "text", text: "", citations: null }),
    delta(1, { type: "text_delta", text: "so" }),
    delta(1, { type: "citations_delta", citation: { cited_text: "so" } }),
    begin(2, { type: "compaction", content: null, signature: "s" }),
    delta(2, { type: "compaction_delta", content: "sum", encrypted_content: "e" }),
    ...end,
  );
  expect(whole?.content).toEqual([
    { type: "thinking", thinking: "hm", signature: "sig" },
    { type: "text", text: "so", citations: [{ cited_text: "so" }] },
    { type: "compaction", content: "sum", encrypted_content: "e", signature: "s" },
  ]);
});

test("gives tool calls without input an empty object", () => {
  const { parts, whole } = collect(
    start,
    begin(0, { type: "tool_use", id: "a", name: "x", input: {} }),
    delta(0, { type: "input_json_delta", partial_json: "" }),
    { type: "content_block_stop", index: 0 },
    ...end,
  );
  expect(parts.filter(({ kind }) => kind !== "report")).toEqual([{ kind: "tool_call", id: "a", name: "x" }]);
  expect(whole?.content).toEqual([{ type: "tool_use", id: "a", name: "x", input: {} }]);
});

test("ignores unknown events and deltas", () => {
  const { whole } = collect(
    start,
    { type: "weather", of: "tomorrow" },
    begin(0, { type: "text", text: "" }),
    delta(0, { type: "mood_delta", mood: "good" }),
    delta(7, { type: "text_delta", text: "for a block that never began" }),
    ...end,
  );
  expect(whole?.content).toEqual([{ type: "text", text: "" }]);
});

test("returns no response without the last event", () => {
  expect(collect(start, begin(0, { type: "text", text: "" }), end[0]!).whole).toBeUndefined();
});
