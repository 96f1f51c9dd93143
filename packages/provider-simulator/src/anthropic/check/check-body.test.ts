import { expect, test } from "vitest";
import { createAnthropic } from "../anthropic.ts";

const hello = { model: "claude-opus-5-5", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] };
const half = "😀".slice(0, 1);
const headers = { "x-api-key": "k", "anthropic-version": "2026-10-21", "anthropic-beta": "compact-2026-01-12" };
const call = { account: "k", betas: ["compact-2026-01-12"] };

/** The refusal in process; over HTTP it must be the same. */
function refusal(value: unknown): { status: number; message: string } {
  const verdict = createAnthropic().judge(value, call);
  const reply = createAnthropic().handle({
    method: "POST",
    path: "/v1/messages",
    headers,
    body: JSON.stringify(value),
  });
  if (verdict.kind !== "refused" || reply?.kind !== "json") throw new Error("accepted");
  expect(reply).toMatchObject({ status: verdict.status, body: verdict.body });
  return { status: verdict.status, message: verdict.message };
}

const failed = { role: "assistant", content: [{ type: "compaction", content: null, encrypted_content: half }] };

test.each<[string, object]>([
  ["metadata", { metadata: { user_id: half } }],
  ["a stop sequence", { stop_sequences: ["END", half] }],
  ["the name of the model", { model: half }],
  ["a field nobody knows", { [half]: 1 }],
  ["the system prompt", { system: half }],
  ["a system block", { system: [{ type: "text", text: half }] }],
  ["a tool", { tools: [{ name: "read", description: half, input_schema: { type: "object" } }] }],
  ["a message", { messages: [{ role: "user", content: half }] }],
  ["a block", { messages: [{ role: "user", content: [{ type: "text", text: half }] }] }],
  ["a key of a message", { messages: [{ role: "user", content: "Hi", [half]: 1 }] }],
  ["something that is no message", { messages: [half] }],
  ["a failed compaction", { messages: [...hello.messages, failed, ...hello.messages] }],
])("1.7 half a surrogate pair is found in %s", (_, fields) => {
  const { status, message } = refusal({ ...hello, ...fields });
  expect(status).toBe(400);
  expect(message).toMatch(/^The request body is not valid JSON: no low surrogate in string: line 1 column \d+ /);
});

test("1.7 half a surrogate pair in what is no object at all", () => {
  expect(refusal(half).message).toContain("no low surrogate");
  expect(refusal(["😀".slice(1)]).message).toContain("invalid high surrogate");
});

const CONTROL = "\u0001";

test.each<[string, object]>([
  ["metadata", { metadata: { user_id: "x".repeat(33_000_000) } }],
  ["a stop sequence", { stop_sequences: ["x".repeat(33_000_000)] }],
  // Six bytes a character: a third over five million of them are too many.
  ["text that JSON has to escape", { messages: [{ role: "user", content: CONTROL.repeat(5_334_000) }] }],
  ["very many numbers", { metadata: { user_id: Array.from({ length: 1_500_000 }, () => -Math.PI * 1e-300) } }],
])("5 413 for %s", (_, fields) => {
  expect(createAnthropic().judge({ ...hello, ...fields })).toMatchObject({ kind: "refused", status: 413 });
});

test("5 a body that only may be too large is measured", () => {
  const fits = { ...hello, messages: [{ role: "user", content: "x".repeat(5_500_000) }] };
  expect(createAnthropic().judge(fits)).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^prompt is too/),
  });
});

const nested = (levels: number): object => {
  let value: object = Object.freeze({});
  for (let level = 1; level < levels; level++) value = Object.freeze({ value });
  return value;
};
const calling = (input: object) => ({
  ...hello,
  messages: [
    ...hello.messages,
    Object.freeze({
      role: "assistant",
      content: Object.freeze([Object.freeze({ type: "tool_use", id: "a", name: "read", input })]),
    }),
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
  ],
});

test("1.7 nesting is followed for 1,024 levels, those around a block included", () => {
  const tooDeep = "The request body is not valid JSON: recursion limit of 1024 levels exceeded";
  const judge = (value: unknown) => {
    const verdict = createAnthropic().judge(value);
    return verdict.kind === "refused" ? verdict.message : "accepted";
  };
  expect(judge(calling(nested(1_019)))).toBe("accepted");
  expect(judge(calling(nested(1_020)))).toBe(tooDeep);
  expect(judge(calling(nested(20_000)))).toBe(tooDeep);
  expect(judge({ ...hello, metadata: nested(20_000) })).toBe(tooDeep);
  expect(judge({ ...hello, tools: [nested(20_000)] })).toBe(tooDeep);
  expect(judge(nested(20_000))).toBe(tooDeep);
});

test("1.7 nesting without end is answered over HTTP too", () => {
  const input = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const body = JSON.stringify(calling({ here: 1 })).replace('{"here":1}', input);
  const reply = createAnthropic().handle({ method: "POST", path: "/v1/messages", headers, body });
  expect(reply).toMatchObject({ kind: "json", status: 400 });
});

test("0 frozen blocks are read once", () => {
  const anthropic = createAnthropic();
  let reads = 0;
  const content = Array.from({ length: 10 }, (_, index) => {
    const input = Object.defineProperty({}, "path", { enumerable: true, get: () => `${reads++ < 0}` });
    return Object.freeze({ type: "tool_use", id: `${index}`, name: "read", input: Object.freeze(input) });
  });
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content },
    { role: "user", content: content.map(({ id }) => ({ type: "tool_result", tool_use_id: id })) },
  ];
  expect(anthropic.judge({ ...hello, messages })).toMatchObject({ kind: "accepted" });
  const before = reads;
  expect(anthropic.judge({ ...hello, messages: [...messages] })).toMatchObject({ kind: "accepted" });
  expect(reads).toBe(before);
});
