import { describe, expect, test } from "vitest";
import type { OutlineTurn } from "../policy.ts";
import { stateOf } from "../testing.ts";
import { beforeMark, everything, keepNewest } from "./range.ts";

const state = stateOf({ tokens: 100_000 });
const turn = (to: number, tokens: number, origin: OutlineTurn["origin"] = "conversation"): OutlineTurn => ({
  from: to - 9,
  to,
  tokens,
  messages: 2,
  status: "closed",
  origin,
});

test("everything reaches to the newest turn, and nothing is left of an empty outline", () => {
  expect(everything({ turns: [turn(10, 1_000), turn(20, 1_000)] }, state)).toEqual({ to: 20 });
  expect(everything({ turns: [] }, state)).toBeUndefined();
});

describe("keepNewest", () => {
  const rule = keepNewest({ tokens: 10_000, messages: 5, maxTokens: 40_000 });

  test("keeps at least 10,000 tokens and 5 messages", () => {
    const turns = [10, 20, 30, 40, 50];
    expect(rule({ turns: turns.map((to) => turn(to, 6_000)) }, state)).toEqual({ to: 20 });
    expect(rule({ turns: turns.map((to) => turn(to, 1_000)) }, state)).toBeUndefined();
  });

  test("keeps at most 40,000 tokens", () => {
    expect(rule({ turns: [10, 20, 30].map((to) => turn(to, 30_000)) }, state)).toEqual({ to: 20 });
    expect(rule({ turns: [turn(10, 1_000), turn(20, 50_000)] }, state)).toEqual({ to: 20 });
  });

  test("never keeps an earlier summary", () => {
    expect(rule({ turns: [turn(10, 3_000, "summary"), turn(20, 3_000)] }, state)).toEqual({ to: 10 });
  });
});

describe("beforeMark", () => {
  const rule = beforeMark("ticket");
  const marked = { ...state, marks: { ticket: { value: "closed", entry: 22 } } };

  test("compacts everything before the newest mark", () => {
    expect(rule({ turns: [turn(10, 9_000), turn(20, 9_000), turn(30, 9_000)] }, marked)).toEqual({ to: 20 });
  });

  test("compacts everything without a mark", () => {
    expect(rule({ turns: [turn(10, 9_000), turn(20, 9_000)] }, state)).toEqual({ to: 20 });
    expect(beforeMark("constructor")({ turns: [turn(10, 9_000)] }, state)).toEqual({ to: 10 });
  });

  test("compacts everything if the part before the mark is small, or is already a summary", () => {
    expect(rule({ turns: [turn(20, 9_000), turn(30, 9_001)] }, marked)).toEqual({ to: 30 });
    expect(rule({ turns: [turn(20, 9_000, "summary"), turn(30, 5_000)] }, marked)).toEqual({ to: 30 });
  });
});
