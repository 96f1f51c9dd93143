import { expect, test } from "vitest";
import { assistant, messagesBody, toolResult, user } from "../testing/bodies.ts";
import { readRequest } from "./read-request.ts";

const digests = (messages: readonly object[], more: object = {}): readonly string[] =>
  readRequest("messages", Buffer.from(messagesBody(messages, more)))!.items.map(({ digest }) => digest);

const MARK = { cache_control: { type: "ephemeral" } };

test("a cache mark that moves changes no message", () => {
  const plain = [user("one"), assistant("two"), user([{ type: "text", text: "three" }])];
  const marked = [
    user([{ type: "text", text: "one", ...MARK }]),
    assistant("two"),
    user([{ ...MARK, type: "text", text: "three" }]),
  ];
  expect(digests(marked)).toEqual(digests(plain));
});

test("other text is another message, also if it speaks of marks", () => {
  const said = (text: string): readonly string[] => digests([user(text)]);
  expect(said('"cache_control":{"type":"ephemeral"}')).not.toEqual(said('"cache_control":{}'));
  expect(said("a")).not.toEqual(said("b"));
  expect(digests([toolResult("c", "x")])).not.toEqual(digests([toolResult("c", "y")]));
});

test("the head is the same without marks and without what is different in each request", () => {
  const head = (system: unknown) =>
    readRequest("messages", Buffer.from(messagesBody([user("x")], { system })))!.head.system;
  const nonce = (text: string): object => ({ type: "text", text: `x-anthropic-billing-header: cch=${text};` });
  const rest = { type: "text", text: "Be brief." };
  expect(head([nonce("1"), rest])).toBe(head([nonce("2"), { ...rest, ...MARK }]));
  expect(head([nonce("1"), rest])).not.toBe(head([nonce("1"), { type: "text", text: "Be long." }]));
});

test("items, keys and ids of the other APIs are found", () => {
  const id = "0199a0c4-0000-7000-8000-000000000001";
  const body = { model: "gpt-6-sol", input: "hello", prompt_cache_key: id, previous_response_id: "resp_1" };
  expect(readRequest("responses", Buffer.from(JSON.stringify(body)))).toMatchObject({
    model: "gpt-6-sol",
    cacheKey: id,
    previousResponse: "resp_1",
    items: [{ digest: expect.any(String) }],
  });
  const chat = { model: "m", messages: [user("x")], prompt_cache_key: "my-application" };
  const read = readRequest("chat", Buffer.from(JSON.stringify(chat)))!;
  expect(read.items).toHaveLength(1);
  // It may be that of all conversations of an application.
  expect(read).not.toHaveProperty("cacheKey");
});

test.each(["", "x", "[]", "{}", '{"messages":[', '{"messages":{}}', '{"messages":[],"messages":[]}'])(
  "%s is no request",
  (text) => {
    expect(readRequest("messages", Buffer.from(text))).toBeUndefined();
  },
);
