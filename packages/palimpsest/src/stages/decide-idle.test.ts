import { expect, test } from "vitest";
import { decideIdle, type IdleSituation, type KeepWarmParameters } from "./decide-idle.ts";

const ON: KeepWarmParameters = { enabled: "on", pingsWhileToolRuns: 11, pingsWhileWaiting: 2 };
const situation: IdleSituation = {
  awaiting: "user",
  idleMs: 275_000,
  ttlMs: 300_000,
  pings: 0,
  sizeTokens: 100_000,
  costs: { read: 0.1, write: 1.25 },
};

test("a ping goes out shortly before the prompt would be dropped", () => {
  expect(decideIdle(situation, ON)).toEqual({ kind: "ping", costUnits: 10_000 });
  expect(decideIdle({ ...situation, idleMs: 100_000 }, ON)).toEqual({ kind: "wait", forMs: 170_000 });
});

test("no ping when it is switched off, or when the prompt is cold already", () => {
  expect(decideIdle(situation, { ...ON, enabled: "off" }).kind).toBe("nothing");
  expect(decideIdle({ ...situation, idleMs: 300_000 }, ON).kind).toBe("nothing");
});

test("there are never more pings than allowed for what is awaited, or than a cold start costs", () => {
  expect(decideIdle({ ...situation, pings: 2 }, ON).kind).toBe("nothing");
  expect(decideIdle({ ...situation, pings: 2, awaiting: "tool" }, ON).kind).toBe("ping");
  expect(decideIdle({ ...situation, pings: 11, awaiting: "tool" }, ON).kind).toBe("nothing");
  const dear = { read: 1, write: 2 };
  expect(decideIdle({ ...situation, pings: 1, awaiting: "tool", costs: dear }, ON).kind).toBe("nothing");
});
