import { expect, test } from "vitest";
import { createRequestRate } from "./request-rate.ts";

test("a burst is allowed, then as many as the rate brings; each key has its own", () => {
  let nowMs = 0;
  const rate = createRequestRate({ now: () => nowMs });
  const takeAll = (key: string): number => {
    let taken = 0;
    while (rate.take(key, 60).kind === "taken") taken++;
    return taken;
  };
  expect(takeAll("a")).toBe(10);
  expect(rate.take("a", 60)).toEqual({ kind: "wait", waitMs: 1_000 });
  expect(takeAll("b")).toBe(10);
  nowMs += 3_000;
  expect(takeAll("a")).toBe(3);
  nowMs += 3_600_000;
  expect(takeAll("a")).toBe(10);
  // A clock that goes back gives nothing, and takes nothing.
  nowMs -= 60_000;
  expect(takeAll("a")).toBe(0);
});

test("full buckets are forgotten, others are not", () => {
  let nowMs = 0;
  const rate = createRequestRate({ now: () => nowMs });
  while (rate.take("slow", 1).kind === "taken");
  nowMs = 300_000;
  for (let key = 0; key < 20_000; key++) rate.take(String(key), 600);
  for (let count = 0; count < 5; count++) expect(rate.take("slow", 1).kind).toBe("taken");
  expect(rate.take("slow", 1).kind).toBe("wait");
});
