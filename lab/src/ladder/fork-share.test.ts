import { expect, test } from "vitest";
import { forkShare } from "./fork-share.ts";
import type { SentRequest } from "./simulated-models.ts";

function request(kind: SentRequest["kind"], more: Partial<SentRequest> = {}, cacheReadTokens = 0): SentRequest {
  const none = { freshTokens: 0, cacheWriteTokens: 0, longCacheWriteTokens: 0, outputTokens: 0, thinkingTokens: 0 };
  const usage = { ...none, cacheReadTokens };
  return { kind, body: {}, atMs: 0, usage, inputTokens: 1_000, leftTokens: 1_000, ...more };
}

test("forkShare compares a fork with the newest request of its parent", () => {
  const fork = request("agent", {}, 500);
  expect(forkShare(fork, [request("main", { leftTokens: 9 }), request("main"), request("agent"), fork])).toBe(50);
});

test("forkShare is at most 100 if a fork reads what another fork has written", () => {
  const fork = request("agent", {}, 1_100);
  expect(forkShare(fork, [request("main"), fork])).toBe(100);
});

test("forkShare refuses a fork without a parent, and one that came too late", () => {
  const fork = request("agent", { atMs: 300_000 }, 1_000);
  expect(() => forkShare(fork, [fork])).toThrow("before any request of its parent");
  expect(() => forkShare(fork, [request("main"), fork])).toThrow("300000 ms after its parent");
});
