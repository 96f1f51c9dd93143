import { expect, test } from "vitest";
import { readRetryAfterMs } from "./errors.ts";

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
])("%o asks to wait %o ms", (headers, expected) => {
  expect(readRetryAfterMs(new Headers(headers))).toBe(expected);
});

test("no headers, no hint", () => {
  expect(readRetryAfterMs(undefined)).toBeUndefined();
});
