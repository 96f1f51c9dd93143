import { describe, expect, test } from "vitest";
import { stateOf } from "../testing.ts";
import type { WindowState } from "../window-state.ts";
import { afterMark, anyOf, economic, nearlyFullAt, type WhenRule, window } from "./when.ts";

const at = (tokens: number, windowTokens = 200_000): WindowState => stateOf({ tokens, windowTokens });

describe("window", () => {
  test("requires a compaction at 167,000 of 200,000 tokens", () => {
    expect(window()(at(166_999))).toBeUndefined();
    expect(window()(at(167_000))).toMatchObject({
      level: "required",
      because: "167,000 tokens have reached 167,000 of 200,000",
    });
  });

  test("keeps a tenth of a small window free instead of the buffer", () => {
    expect(nearlyFullAt(at(0, 10_000).window)).toBe(7_000);
    expect(window()(at(6_999, 10_000))).toBeUndefined();
    expect(window()(at(7_000, 10_000))?.level).toBe("required");
  });

  test("takes an earlier percentage of the usable window, and never a later one", () => {
    expect(window({ percent: 50 })(at(89_999))).toBeUndefined();
    expect(window({ percent: 50 })(at(90_000))?.level).toBe("required");
    expect(window({ percent: 99 })(at(167_000))?.level).toBe("required");
    expect(window({ bufferTokens: 5_000 })(at(174_999))).toBeUndefined();
  });
});

describe("economic", () => {
  const rule = economic({ fromTokens: 100_000, inTurnFromTokens: 150_000, aboveWindowTokens: 150_000 });

  test("gives a reason from its sizes on, which differ between and inside turns", () => {
    expect(rule(at(99_999))).toBeUndefined();
    expect(rule(at(100_000))?.level).toBe("if-it-pays");
    expect(rule(stateOf({ tokens: 149_999, turn: "open" }))).toBeUndefined();
    expect(rule(stateOf({ tokens: 150_000, turn: "open" }))?.level).toBe("if-it-pays");
  });

  test("takes other sizes if no pings keep the prompt in the cache", () => {
    const unlessKeptWarm = { fromTokens: 60_000, inTurnFromTokens: 80_000 };
    const later = economic({ fromTokens: 100_000, inTurnFromTokens: 150_000, unlessKeptWarm });
    const because = (tokens: number, keptWarm: boolean, turn: "open" | "starting" = "starting") =>
      later(stateOf({ tokens, keptWarm, turn }))?.because;
    expect(because(99_999, true)).toBeUndefined();
    expect(because(100_000, true)).toBe("100,000 tokens, and saving starts at 100,000");
    expect(because(60_000, false)).toBe("60,000 tokens, and saving starts at 60,000");
    expect(because(79_999, false, "open")).toBeUndefined();
    expect(because(80_000, false, "open")).toBe("80,000 tokens, and saving starts at 80,000");
  });

  test("gives no reason in a window that is too small", () => {
    expect(rule(at(120_000, 150_000))).toBeUndefined();
    expect(rule(at(120_000, 150_001))?.level).toBe("if-it-pays");
  });
});

describe("afterMark", () => {
  const rule = afterMark("ticket", { fromTokens: 20_000 });
  const marked = (state: WindowState, entry = 80): WindowState => ({
    ...state,
    marks: { ticket: { value: "closed", entry } },
  });

  test("requests a compaction after the mark, outside of turns and from a size on", () => {
    expect(rule(marked(at(25_000)))).toMatchObject({ level: "requested", because: 'the mark "ticket" is "closed"' });
    expect(rule(at(25_000))).toBeUndefined();
    expect(rule(marked(at(19_999)))).toBeUndefined();
    expect(rule(marked(stateOf({ tokens: 25_000, turn: "open" })))).toBeUndefined();
    expect(afterMark("constructor")(at(25_000))).toBeUndefined();
  });

  test("requests one compaction for each mark, even if it was undone", () => {
    const compacted = (boundary: number): WindowState => {
      const state = at(25_000);
      const lastCompaction = { entry: boundary, turnsAgo: 0, keptTokens: 5_000, undone: true };
      return marked({ ...state, history: { ...state.history, lastCompaction } });
    };
    expect(rule(compacted(90))).toBeUndefined();
    expect(rule(compacted(70))?.level).toBe("requested");
  });
});

describe("anyOf", () => {
  const reason =
    (level: "required" | "requested" | "if-it-pays" | "when-full", because: string = level): WhenRule =>
    () => ({ level, because });

  test("returns the strongest reason, and the first of equal ones", () => {
    const rule = anyOf(() => undefined, reason("when-full"), reason("if-it-pays", "one"), reason("if-it-pays", "two"));
    expect(rule(at(1_000))).toEqual({ level: "if-it-pays", because: "one" });
    expect(anyOf(reason("requested"), reason("required"))(at(1_000))?.level).toBe("required");
    expect(anyOf()(at(1_000))).toBeUndefined();
    expect(anyOf(() => undefined)(at(1_000))).toBeUndefined();
  });

  test("passes an invalid reason on, and ignores the rejection of every promise", async () => {
    const late = (async () => {
      throw new Error("late");
    }) as unknown as WhenRule;
    expect(anyOf(reason("required"), late, late)(at(1_000))).toBeInstanceOf(Promise);
    expect(anyOf(reason("required"), reason("now!" as never))(at(1_000))?.level).toBe("now!");
    await new Promise((resolve) => setImmediate(resolve));
  });
});

test("rules have a name and numbers, and their reasons carry the name", () => {
  const saving = economic({ fromTokens: 1_000, inTurnFromTokens: 2_000 });
  const sizes = { fromTokens: 1_000, inTurnFromTokens: 2_000 };
  expect([saving.name, saving.params]).toEqual(["economic", { ...sizes, unlessKeptWarm: sizes, aboveWindowTokens: 0 }]);
  expect([window().name, window().params]).toEqual(["window", { bufferTokens: 13_000, percent: 100 }]);
  expect([afterMark("ticket").name, afterMark("ticket").params]).toEqual([
    "after-mark",
    { mark: "ticket", fromTokens: 0 },
  ]);
  const either = anyOf(window(), saving);
  expect([either.name, either.of?.map(({ name }) => name)]).toEqual(["any-of", ["window", "economic"]]);
  expect(either(stateOf({ tokens: 50_000 }))).toMatchObject({ level: "if-it-pays", rule: "economic" });
});
