import { expect, test } from "vitest";
import type { HttpCall } from "../http-face.ts";
import { createAnthropic } from "./anthropic.ts";

const hello = { model: "claude-opus-5-5", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] };
const call = (fields: Partial<HttpCall> = {}): HttpCall => ({
  method: "POST",
  path: "/v1/messages",
  headers: { "x-api-key": "k", "anthropic-version": "2026-10-21" },
  body: JSON.stringify(hello),
  ...fields,
});
const handle = (fields: Partial<HttpCall> = {}) => {
  const reply = createAnthropic().handle(call(fields));
  if (reply?.kind !== "json") throw new Error("no JSON");
  return reply;
};

test("0.2 a key is wanted, as x-api-key or as a bearer", () => {
  const version = { "anthropic-version": "2026-10-21" };
  expect(handle({ headers: version })).toMatchObject({
    status: 401,
    body: { type: "error", error: { type: "authentication_error", message: "x-api-key header is required" } },
  });
  expect(handle({ headers: { ...version, "x-api-key": "k" } }).status).toBe(200);
  expect(handle({ headers: { ...version, authorization: "Bearer k" } }).status).toBe(200);
});

test("0.1 a version is wanted, and one that exists", () => {
  const message = (headers: Record<string, string>) =>
    (handle({ headers }).body as { error: { message: string } }).error.message;
  expect(message({ "x-api-key": "k" })).toBe("anthropic-version: header is required");
  expect(message({ "x-api-key": "k", "anthropic-version": "2025-01-01" })).toBe(
    'anthropic-version: "2025-01-01" is not a valid version',
  );
  expect(handle({ headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" } }).status).toBe(200);
});

test("5 413 comes from the edge, before keys are looked at: no outer type, no request id", () => {
  const reply = handle({ headers: {}, body: "x".repeat(32_000_001) });
  expect(reply).toMatchObject({ status: 413, headers: {} });
  expect(reply.body).toEqual({ error: { type: "request_too_large", message: "Request exceeds the maximum size" } });
  expect(handle({ body: `${" ".repeat(31_000_000)}${JSON.stringify(hello)}` }).status).toBe(200);
});

test("5 413 in process, whatever else is wrong", () => {
  const messages = [{ role: "user", content: "x".repeat(32_000_000) }];
  const quotes = [{ role: "user", content: '"'.repeat(16_000_000) }];
  for (const value of [{ ...hello, messages }, { messages }, { ...hello, messages: quotes }]) {
    expect(createAnthropic().judge(value)).toMatchObject({ kind: "refused", status: 413 });
  }
});

test("1.7 a body that is not JSON, and half a surrogate pair", () => {
  expect(handle({ body: "{" })).toMatchObject({
    status: 400,
    body: {
      error: { type: "invalid_request_error", message: expect.stringMatching(/^The request body is not valid JSON: /) },
    },
  });
  const body = JSON.stringify({ ...hello, system: "\ud83d" });
  const index = body.indexOf("\\ud83d");
  const message = `The request body is not valid JSON: no low surrogate in string: line 1 column ${index + 1} (char ${index})`;
  expect(handle({ body }).body).toMatchObject({ error: { message } });
  expect(createAnthropic().judge({ ...hello, system: "\ud83d" })).toMatchObject({ message });
});

test("5 every response has its own request id, and the rate-limit headers", () => {
  const anthropic = createAnthropic();
  const bodies = [JSON.stringify(hello), "{", "{}", JSON.stringify(hello)];
  const replies = [
    ...bodies.map((body) => anthropic.handle(call({ body }))),
    anthropic.handle(call({ headers: {} })),
    anthropic.handle(call({ method: "GET", path: "/v1/models" })),
    anthropic.handle(call({ path: "/v1/messages/count_tokens" })),
  ];
  const headers = replies.map((reply) => (reply?.kind === "json" ? reply.headers : {}));
  expect(new Set(headers.map((each) => each["request-id"])).size).toBe(replies.length);
  for (const each of headers) {
    expect(each["request-id"]).toMatch(/^req_01[A-Za-z0-9]{22}$/);
    expect(each["anthropic-ratelimit-input-tokens-reset"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:]+Z$/);
  }
});

test("0 calls for others are left to others", () => {
  const anthropic = createAnthropic();
  expect(anthropic.handle(call({ path: "/v1/responses" }))).toBeUndefined();
  expect(anthropic.handle(call({ method: "GET" }))).toBeUndefined();
  expect(
    anthropic.handle(call({ method: "GET", path: "/v1/models", headers: { authorization: "k" } })),
  ).toBeUndefined();
});

test("6 a model that cannot be is not found, however it is spelled", () => {
  expect(handle({ method: "GET", path: "/v1/models/gpt-6" })).toMatchObject({
    status: 404,
    body: { error: { type: "not_found_error", message: "model: gpt-6" } },
  });
  expect(handle({ method: "GET", path: "/v1/models/%ZZ" }).status).toBe(404);
});

test("2 workspaces of one key do not share their cache", () => {
  const anthropic = createAnthropic();
  const body = JSON.stringify({ ...hello, system: "s".repeat(7_000), cache_control: { type: "ephemeral" } });
  const read = (workspace: string) => {
    const headers = { ...call().headers, "anthropic-workspace-id": workspace };
    const reply = anthropic.handle(call({ headers, body }));
    if (reply?.kind === "json") reply.begun?.();
    return reply?.outcome.kind === "answered" ? reply.outcome.cache.blocksRead : undefined;
  };
  expect([read("a"), read("b"), read("a")]).toEqual([0, 0, 2]);
});
