import { expect, test } from "vitest";
import { createAnthropic } from "../anthropic.ts";
import type { CallOptions } from "../request.ts";

const user = (text: string) => ({ role: "user", content: text });
const assistant = (text: string) => ({ role: "assistant", content: text });
const tool = (name: string) => ({ name, input_schema: { type: "object" } });
const first = {
  model: "claude-opus-5",
  max_tokens: 100,
  tools: [tool("read")],
  system: "Be careful.",
  messages: [user("One"), assistant("Two"), user("Three")],
};

function world() {
  const anthropic = createAnthropic();
  const send = (request: object, call: CallOptions = {}) => {
    const result = anthropic.answer(request, call);
    if (result.kind === "refused") throw new Error(result.message);
    return result.response;
  };
  return { send };
}

function compared(change: object, call: CallOptions = {}) {
  const { send } = world();
  const { id } = send(first);
  return send({ ...first, ...change, diagnostics: { previous_message_id: id } }, call).diagnostics;
}

test("2 cache diagnostics: null where not asked, on the first turn, and where nothing departs", () => {
  const { send } = world();
  expect(send(first).diagnostics).toBeNull();
  expect(send({ ...first, diagnostics: { previous_message_id: null } }).diagnostics).toBeNull();
  expect(compared({})).toBeNull();
  expect(compared({ messages: [...first.messages, assistant("Four"), user("Five")] })).toBeNull();
});

test.each<[string, object, string]>([
  ["another model", { model: "claude-opus-4-8" }, "model_changed"],
  ["another speed", { speed: "fast" }, "model_changed"],
  ["another tool", { tools: [tool("write")] }, "tools_changed"],
  ["one more tool", { tools: [tool("read"), tool("write")] }, "tools_changed"],
  ["no tools", { tools: [] }, "tools_changed"],
  ["another system prompt", { system: "Be quick." }, "system_changed"],
  ["no system prompt", { system: "" }, "system_changed"],
  ["another message", { messages: [user("One"), assistant("2"), user("Three")] }, "messages_changed"],
  ["a message less", { messages: [user("One")] }, "messages_changed"],
  ["the earliest of several", { tools: [tool("write")], system: "x", messages: [user("y")] }, "tools_changed"],
])("2 cache diagnostics: %s", (_, change, type) => {
  expect(compared(change)).toEqual({ cache_miss_reason: { type, cache_missed_input_tokens: expect.any(Number) } });
});

test.each<[string, object, CallOptions]>([
  ["thinking", { thinking: { type: "adaptive" } }, {}],
  ["tool_choice", { tool_choice: { type: "none" } }, {}],
  ["output_config", { output_config: { effort: "low" } }, {}],
  ["the betas", {}, { betas: ["context-management-2025-06-27"] }],
])("2 cache diagnostics: unavailable where %s differs", (_, change, call) => {
  expect(compared(change, call)).toEqual({ cache_miss_reason: { type: "unavailable" } });
});

test("2 cache diagnostics: the estimate is what lies behind the departure", () => {
  // Tool 12 + 17, system 8, messages 5 + 5 + 6.
  const missed = (change: object) => {
    const reason = compared(change)?.cache_miss_reason;
    return reason !== undefined && "cache_missed_input_tokens" in reason ? reason.cache_missed_input_tokens : undefined;
  };
  const whole = missed({ model: "claude-opus-4-8" })!;
  expect(missed({ tools: [tool("write")] })).toBe(whole);
  expect(missed({ system: "Be quick." })).toBe(8 + 5 + 5 + 6);
  expect(missed({ messages: [user("1"), ...first.messages.slice(1)] })).toBe(5 + 5 + 6);
  expect(missed({ messages: [...first.messages.slice(0, 2), user("3")] })).toBe(6);
});

test("2 cache diagnostics: answers of nobody or of somebody else are not found, very old ones not compared", () => {
  const { send } = world();
  const notFound = { cache_miss_reason: { type: "previous_message_not_found" } };
  const { id } = send(first, { account: "a" });
  const asking = (previous_message_id: string) => ({ ...first, diagnostics: { previous_message_id } });
  expect(send(asking("msg_none"), { account: "a" }).diagnostics).toEqual(notFound);
  expect(send(asking(id), { account: "b" }).diagnostics).toEqual(notFound);
  expect(send(asking(id), { account: "a" }).diagnostics).toBeNull();
  // With the four above, 256: the oldest is still known when the next request asks, and not when the one after does.
  for (let turn = 0; turn < 252; turn++) send(first, { account: "a" });
  expect(send(asking(id), { account: "a" }).diagnostics).toBeNull();
  expect(send(asking(id), { account: "b" }).diagnostics).toEqual(notFound);
  expect(send(asking(id), { account: "a" }).diagnostics).toEqual({ cache_miss_reason: { type: "unavailable" } });
});
