import { describe, expect, test } from "vitest";
import { causesOf, perfectRead, type RecordedChange, type RequestPair, rebilledTokens } from "./find-recorded-break.ts";

const request = (read: number, written: number, fields: object = {}): RequestPair["now"] => ({
  freshTokens: 0,
  cacheReadTokens: read,
  cacheWriteTokens: written,
  outputTokens: 1,
  sentAtMs: 0,
  model: "m",
  inputTokens: read + written,
  ...fields,
});
const pair = (now: RequestPair["now"], fields: Partial<RequestPair> = {}): RequestPair => ({
  before: request(50_000, 1_000),
  now,
  changes: new Set(),
  promptChanges: [],
  lifetimeMs: 300_000,
  newBlocks: 2,
  ...fields,
});
const after = (...changes: RecordedChange[]): Partial<RequestPair> => ({ changes: new Set(changes) });

describe("causesOf", () => {
  test.each([
    ["a pause", pair(request(0, 51_500, { sentAtMs: 301_000 })), ["pause"]],
    ["a compaction", pair(request(20_000, 3_000), after("compaction")), ["compaction"]],
    ["another model", pair(request(0, 51_500, { model: "n" })), ["model"]],
    [
      "several, the earliest in the prompt first",
      pair(request(0, 9_000, { sentAtMs: 301_000 }), after("compaction")),
      ["pause", "compaction"],
    ],
    ["another system prompt", pair(request(0, 51_500), { promptChanges: ["system"] }), ["system"]],
    ["going back", pair(request(20_000, 3_000), after("rewind")), ["rewind"]],
    ["results cleared", pair(request(20_000, 30_000), after("clearing")), ["clearing"]],
    ["a prompt that became shorter", pair(request(20_000, 10_000)), ["edited"]],
    ["too much added at once", pair(request(20_000, 33_000), { newBlocks: 30 }), ["look-back"]],
    ["nothing that the record shows", pair(request(20_000, 33_000)), ["unknown"]],
  ])("names %s", (_, requests, causes) => {
    expect(causesOf(requests)).toEqual(causes);
  });
});

describe("what was lost", () => {
  test("a break is a drop by more than 5% and 2,000 tokens; paid again is what had been there", () => {
    expect(rebilledTokens(pair(request(0, 51_500)))).toBe(51_000);
    expect(rebilledTokens(pair(request(10_000, 10_000)))).toBe(10_000);
    expect(rebilledTokens(pair(request(49_500, 2_000)))).toBeUndefined();
  });

  test("a perfect cache reads what was left; behind a compaction, what stands before the messages", () => {
    expect(perfectRead(pair(request(0, 60_000)), 30_000)).toBe(51_000);
    expect(perfectRead(pair(request(10_000, 30_000), after("compaction")), 30_000)).toBe(30_000);
    expect(perfectRead(pair(request(10_000, 30_000), after("clearing")), 30_000)).toBe(10_000);
    expect(perfectRead(pair(request(0, 60_000, { model: "n" })), 30_000)).toBe(0);
  });

  test("where writes are not reported, all of the input was left", () => {
    const before = { ...request(40_000, 0), freshTokens: 5_000, inputTokens: 45_000 };
    expect(perfectRead({ ...pair(request(0, 50_000)), before }, 30_000)).toBe(45_000);
  });
});
