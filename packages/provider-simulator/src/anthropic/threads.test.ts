import { expect, test } from "vitest";
import { manualClock } from "../clock.ts";
import { createAnthropic } from "./anthropic.ts";
import type { CallOptions } from "./request.ts";

const betas = ["message-threads-2026-08-12"];
const user = (text: string) => ({ role: "user", content: text });

function world() {
  const clock = manualClock();
  const anthropic = createAnthropic({ clock });
  const send = (fields: object, call: CallOptions = {}) =>
    anthropic.answer(
      { model: "claude-opus-5-5", max_tokens: 100, messages: [user("Next")], ...fields },
      { betas, ...call },
    );
  const id = (fields: object, call: CallOptions = {}) => {
    const result = send(fields, call);
    if (result.kind === "refused") throw new Error(result.message);
    return result.response.id;
  };
  const code = (fields: object, call: CallOptions = {}) => {
    const result = send(fields, call);
    if (result.kind === "answered") return "answered";
    return { status: result.status, ...(result.body as { error: { details: object } }).error.details };
  };
  return { clock, anthropic, send, id, code };
}
const create = { thread: { type: "create" }, system: "Be careful.", messages: [user("First")] };
const continued = (previous_message_id: string) => ({ thread: { type: "continue", previous_message_id } });

test("1.8 a continued thread brings only what is new, and stands for all of it", () => {
  const { anthropic, send, id } = world();
  const result = send(continued(id(create)));
  if (result.kind === "refused") throw new Error(result.message);
  const whole = anthropic.judge({
    model: "claude-opus-5-5",
    max_tokens: 100,
    system: "Be careful.",
    messages: [user("First"), { role: "assistant", content: "You said: First" }, user("Next")],
  });
  expect(result.acceptance.inputTokens).toBe((whole as { inputTokens: number }).inputTokens);
});

test("1.8 a response can be continued once", () => {
  const { id, code } = world();
  const first = id(create);
  const second = id(continued(first));
  expect(code(continued(first))).toEqual({ status: 400, error_code: "thread_already_continued" });
  expect(code(continued(second))).toBe("answered");
});

test("1.8 a thread is gone five minutes after its last use", () => {
  const { clock, id, code } = world();
  const first = id(create);
  clock.advance(299_999);
  const second = id(continued(first));
  clock.advance(300_000);
  expect(code(continued(second))).toEqual({ status: 404, error_code: "thread_not_found" });
});

test("1.8 threads belong to their account", () => {
  const { id, code } = world();
  const first = id(create, { account: "a" });
  expect(code(continued(first), { account: "b" })).toEqual({ status: 404, error_code: "thread_not_found" });
  expect(code(continued("msg_none"))).toEqual({ status: 404, error_code: "thread_not_found" });
  expect(code(continued(first), { account: "a" })).toBe("answered");
});

test("1.8 model, system prompt and tools cannot change", () => {
  const { id, code, send } = world();
  const first = id(create);
  const mismatch = { status: 400, error_code: "thread_fingerprint_mismatch" };
  expect(code({ ...continued(first), model: "claude-opus-5" })).toEqual(mismatch);
  expect(code({ ...continued(first), system: "Be quick." })).toEqual(mismatch);
  const tools = [{ name: "read", input_schema: { type: "object" } }];
  expect(send({ ...continued(first), system: "x", tools })).toMatchObject({
    message: expect.stringMatching(/system, tools$/),
  });
  expect(code({ ...continued(first), system: "Be careful." })).toBe("answered");
});

test("1.8 what threads do not support is named", () => {
  const { code } = world();
  const call = { betas: [...betas, "context-management-2025-06-27"] };
  expect(code({ ...create, context_management: { edits: [] } }, call)).toEqual({
    status: 400,
    error_code: "thread_unsupported_request",
    unsupported: ["context_management"],
  });
  const fallbacks = { betas: [...betas, "server-side-fallback-2026-07-01"] };
  expect(code({ ...create, fallbacks: "default" }, fallbacks)).toMatchObject({ unsupported: ["fallbacks"] });
});

test("1.8 a request that is refused does not use the thread up", () => {
  const { id, code } = world();
  const first = id(create);
  const orphan = { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] };
  expect(code({ ...continued(first), messages: [orphan] })).not.toBe("answered");
  expect(code(continued(first))).toBe("answered");
});

test("1.8 only one request at a time can continue a response", () => {
  const { anthropic } = world();
  const call = (body: object) =>
    anthropic.handle({
      method: "POST",
      path: "/v1/messages",
      headers: { "x-api-key": "k", "anthropic-version": "2026-10-21", "anthropic-beta": betas.join(",") },
      body: JSON.stringify({
        model: "claude-opus-5-5",
        max_tokens: 100,
        messages: [user("Next")],
        stream: true,
        ...body,
      }),
    });
  const first = call(create);
  if (first?.kind !== "stream" || first.outcome.kind !== "answered") throw new Error("not answered");
  first.begun();
  const second = call(continued(first.outcome.responseId));
  const details = (reply: unknown) => (reply as { body: { error: { details: object } } }).body.error.details;
  expect(details(call(continued(first.outcome.responseId)))).toEqual({ error_code: "thread_continue_in_flight" });
  if (second?.kind !== "stream") throw new Error("not streamed");
  second.begun();
  expect(details(call(continued(first.outcome.responseId)))).toEqual({ error_code: "thread_already_continued" });
});

test("1.8 four marks in all, those of earlier messages and the top-level one included", () => {
  const { id, send } = world();
  const marked = (text: string) => ({
    role: "user",
    content: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
  });
  const first = id({ ...create, messages: [marked("1"), marked("2"), marked("3")] });
  expect(
    send({ ...continued(first), messages: [marked("4"), user("5")], cache_control: { type: "ephemeral" } }),
  ).toMatchObject({
    message: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  });
});

test("1.8 a paused turn is gone on with by sending nothing", () => {
  const script = ({ turn }: { turn: number }) =>
    turn === 0
      ? ({ words: [{ kind: "text", text: "Working" }], stop: "pause" } as const)
      : ({ words: [{ kind: "text", text: "Done" }] } as const);
  const anthropic = createAnthropic({ script });
  const request = { model: "claude-sonnet-4-5", max_tokens: 100 };
  const first = anthropic.answer({ ...request, ...create }, { betas });
  if (first.kind === "refused") throw new Error(first.message);
  expect(first.response.stop_reason).toBe("pause_turn");
  const second = anthropic.answer({ ...request, ...continued(first.response.id), messages: [] }, { betas });
  expect(second).toMatchObject({ response: { content: [{ text: "Done" }] } });
});

test.each<[object, string]>([
  [{ type: "fork" }, "thread.type: Input should be 'create' or 'continue'"],
  [{ type: "continue" }, "thread.continue.previous_message_id: Field required"],
])("1.8 refused: thread %o", (thread, message) => {
  expect(world().send({ thread })).toMatchObject({ status: 400, message });
});
