import { ProviderError } from "palimpsest";
import { expect, test } from "vitest";
import { postponedBy } from "./postpone.ts";

test("a provider that is away puts runs off, for as long as it says; a request that it refuses is the session's failure", () => {
  const error = (failure: ProviderError["failure"]) => new ProviderError("p", failure, "no answer");
  expect(postponedBy(error({ kind: "unreachable" }), () => 0)).toEqual({ kind: "later", afterMs: 20_000 });
  expect(postponedBy(error({ kind: "broken-stream" }), () => 0.5)).toEqual({ kind: "later", afterMs: 30_000 });
  expect(postponedBy(error({ kind: "overloaded" }), () => 0)).toEqual({ kind: "later", afterMs: 20_000 });
  const limited = error({ kind: "rate-limited", retryAfterMs: 90_000 });
  expect(postponedBy(limited, () => 0)).toEqual({ kind: "later", afterMs: 90_000 });
  const refused = error({ kind: "refused", status: 400 });
  expect(() => postponedBy(refused)).toThrow(refused);
});
