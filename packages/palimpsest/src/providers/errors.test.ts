import { describe, expect, test } from "vitest";
import { type FailedCall, readRetryAfterMs, toProviderError } from "./errors.ts";
import { ProviderError, type ProviderFailure } from "./provider.ts";

describe("toProviderError", () => {
  const call: FailedCall = { provider: "test", phase: "call", signal: undefined };
  const stream: FailedCall = { ...call, phase: "stream" };
  const unconnected = (message: string): Error =>
    Object.assign(new Error(message), { status: undefined, headers: undefined });
  const status = (code: number, headers: Record<string, string> = {}, error: object = {}): Error =>
    Object.assign(new Error(`${code}`), { status: code, headers: new Headers(headers), error });

  test.each<[string, unknown, FailedCall, ProviderFailure]>([
    ["a rate limit", status(429, { "retry-after": "2" }), call, { kind: "rate-limited", retryAfterMs: 2_000 }],
    ["a rate limit without a hint", status(429), call, { kind: "rate-limited" }],
    [
      "a spend limit",
      Object.assign(status(429), { errorCode: "enforced_spend_limit_reached" }),
      call,
      { kind: "refused", status: 429 },
    ],
    [
      "a quota that is used up",
      status(429, {}, { code: "insufficient_quota" }),
      call,
      { kind: "refused", status: 429 },
    ],
    [
      "an error that the server marks as final",
      status(429, { "x-should-retry": "false" }),
      call,
      { kind: "refused", status: 429 },
    ],
    ["an overload", status(529, { "retry-after-ms": "10" }), call, { kind: "overloaded", retryAfterMs: 10 }],
    ["a broken server", status(500), call, { kind: "overloaded" }],
    ["a conflict", status(409), call, { kind: "overloaded" }],
    ["a timeout of the server", status(408), call, { kind: "overloaded" }],
    ["a wrong request", status(400), call, { kind: "refused", status: 400 }],
    ["a wrong key", status(401), call, { kind: "refused", status: 401 }],
    ["too many bytes", status(413), call, { kind: "overflow", by: "bytes" }],
    ["no connection", unconnected("Connection error."), call, { kind: "unreachable" }],
    ["a timeout", unconnected("Request timed out."), call, { kind: "unreachable" }],
    [
      "a connection that is lost in the middle of a stream",
      new TypeError("terminated"),
      stream,
      { kind: "broken-stream" },
    ],
    ["an event that is not JSON", new SyntaxError("bad event"), stream, { kind: "broken-stream" }],
    [
      "a server failure in the middle of a stream",
      Object.assign(new Error("x"), { type: "api_error" }),
      stream,
      { kind: "broken-stream" },
    ],
    [
      "a rate limit in the middle of a stream",
      Object.assign(new Error("x"), { error: { type: "error", error: { type: "rate_limit_error" } } }),
      stream,
      { kind: "rate-limited" },
    ],
    [
      "a refusal in the middle of a stream",
      Object.assign(new Error("x"), { code: "invalid_prompt" }),
      stream,
      { kind: "refused" },
    ],
    ["an abort", new DOMException("stop", "AbortError"), call, { kind: "aborted" }],
    ["any error after an abort", new Error("x"), { ...stream, signal: AbortSignal.abort() }, { kind: "aborted" }],
    ["a programming error", new TypeError("x is not a function"), call, { kind: "refused" }],
    ["a misconfigured client", new Error("no API key"), call, { kind: "refused" }],
    ["a thrown string", "words", call, { kind: "refused" }],
  ])("classifies %s", (_, error, call, failure) => {
    const wrapped = toProviderError(error, call);
    expect(wrapped.failure).toEqual(failure);
    expect(wrapped.cause).toBe(error);
    expect(wrapped.provider).toBe("test");
  });

  test("returns a ProviderError unchanged", () => {
    const error = new ProviderError("test", { kind: "broken-stream" }, "cut");
    expect(toProviderError(error, call)).toBe(error);
  });
});

describe("readRetryAfterMs", () => {
  const date = "Sun, 15 Nov 2026 10:00:00 GMT";

  test.each<[Record<string, string>, number | undefined]>([
    [{ "retry-after": "3" }, 3_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "250", "retry-after": "3" }, 250],
    [{ "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT", date }, 30_000],
    [{ "retry-after": "Sun, 15 Nov 2026 09:59:00 GMT", date }, 0],
    [{ "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT" }, undefined],
    [{ "retry-after": "soon", date }, undefined],
    [{ "retry-after": "" }, undefined],
    [{ "retry-after": "-1" }, undefined],
    [{}, undefined],
  ])("reads a wait from %o: %o ms", (headers, expected) => {
    expect(readRetryAfterMs(new Headers(headers))).toBe(expected);
  });

  test("returns no wait without headers", () => {
    expect(readRetryAfterMs(undefined)).toBeUndefined();
  });
});
