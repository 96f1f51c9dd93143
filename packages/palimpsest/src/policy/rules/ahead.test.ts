import { describe, expect, test } from "vitest";
import { type StateOptions, stateOf } from "../testing.ts";
import type { WindowState } from "../window-state.ts";
import { nearCompaction } from "./ahead.ts";

describe("nearCompaction", () => {
  const rule = nearCompaction({ idleShare: 0.95, inTurnShare: 0.9, maxTailTokens: 20_000 });
  const compactsAt = { betweenTurnsTokens: 100_000, inTurnTokens: 150_000 };
  const start = (options: StateOptions, more: Partial<WindowState> = {}) =>
    rule.start(stateOf({ ...options, more: { compactsAt, ...more } }));

  test("starts at 95% of the size of a compaction between turns, and at 90% inside a turn", () => {
    expect(start({ tokens: 94_999, turn: "idle" })).toBeUndefined();
    expect(start({ tokens: 95_000, turn: "idle" })).toEqual({
      level: "requested",
      because: "95,000 tokens, and a compaction follows at 100,000",
    });
    expect(start({ tokens: 134_999, turn: "open" })).toBeUndefined();
    expect(start({ tokens: 135_000, turn: "open" })?.level).toBe("requested");
  });

  test("never starts on a cold cache, with a valid summary, with an open breaker, or without automatic compaction", () => {
    const prepared = { entry: 90, from: 1, to: 80, tokens: 4_000, tailTokens: 0, installs: "when-decided" } as const;
    const { history } = stateOf({ tokens: 99_000 });
    expect(start({ tokens: 99_000, cache: "cold" })).toBeUndefined();
    expect(start({ tokens: 99_000, cache: "new" })).toBeUndefined();
    expect(start({ tokens: 99_000 }, { prepared })).toBeUndefined();
    expect(start({ tokens: 99_000 }, { history: { ...history, breaker: "open" } })).toBeUndefined();
    expect(start({ tokens: 99_000 }, { compactsAt: undefined })).toBeUndefined();
    expect(start({ tokens: 99_000 })).toBeDefined();
  });
});
