import { describe, expect, test } from "vitest";
import { readDraft } from "../log/entry.ts";
import type { Take } from "../policy/decide.ts";
import { figuresOf } from "../policy/explain.ts";
import type { Action, Proposal } from "../policy/policy.ts";
import type { Prices } from "../policy/window-state.ts";
import { foldEntry } from "../view/fold.ts";
import { sizeTokens } from "../view/view.ts";
import { type ClearAction, clearResults, type ShownResult, stubText } from "./clear.ts";
import { type RoundsView, readRounds, viewOfRounds } from "./testing/rounds.ts";

const PRICES: Prices = { input: 1, read: 0.1, write: 1.25, output: 5, above: undefined, usdPerUnit: 4e-6 };

function takeOf(action: Action, other?: Action): Take {
  const weighed = (rule: string, one: Action) => ({
    rule,
    proposal: {
      action: one,
      ...{ level: "if-it-pays", because: "a test", freesTokens: 100, keepsPrefixTokens: 0, undo: "exact" },
    } as Proposal,
    ...{ costNow: 1_000, costLater: 0, savesNow: 2_000, savesLater: 1_234_567, net: 1_235_567 },
    ...{ afterTokens: 400, barred: undefined },
  });
  const taken = weighed("mine", action);
  const all = other === undefined ? [taken] : [taken, weighed("other", other)];
  return { kind: "take", taken, because: "mine pays: a test", weighed: all, failed: [], paused: [] };
}

/** The entries of a decision, and their effect on the view. */
function carriedOut({ view, index }: RoundsView, action: ClearAction, take = takeOf(action)) {
  const sizes = { prices: PRICES, sizeTokens: sizeTokens(view), before: undefined } as const;
  const sources = { view, results: index, thinking: "free", ...sizes } as const;
  const { drafts, count } = clearResults(action, take, sources);
  const entries = drafts.map((draft, at) => readDraft(draft, 1_000 + at)!);
  for (const entry of entries) foldEntry(view, entry);
  return { entries, count };
}

const clear = (...entries: number[]): ClearAction => ({ kind: "clear", entries, thinking: "stays" });
const ASK: ClearAction = {
  kind: "ask-provider",
  edits: {
    ...{ aboveTokens: 10, freeAtLeastTokens: 1, keepNewest: 1 },
    ...{ keepTools: [], inputsOf: [], thinking: "all" },
  },
};

describe("a clearing of the session", () => {
  test("is a decision entry followed by a stub for each result", () => {
    const rounds = viewOfRounds(readRounds(3));
    const take = takeOf(clear(2, 4), ASK);
    const { entries, count } = carriedOut(rounds, clear(2, 4), take);
    expect(entries.map(({ kind }) => kind)).toEqual(["decision", "replace", "replace"]);
    expect(entries[0]).toMatchObject({
      payload: {
        ...{ rule: "mine", action: "clear", level: "if-it-pays", because: "mine pays: a test", tokensAfter: 400 },
        considered: [{ rule: "other", level: "if-it-pays", tokensAfter: 400 }],
        figures: { unit: "usd", costNow: 0.004, savesLater: 4.93827 },
      },
    });
    expect(entries[1]).toMatchObject({ payload: { from: 2, to: 2, reason: "cleared" } });
    expect(count).toBe(2);
    expect(JSON.stringify(rounds.view.items[1])).toContain("Cleared to save room: result of Read");
  });

  test("also replaces the results that the provider has left out, and ends the edits", () => {
    const rounds = viewOfRounds(readRounds(5));
    carriedOut(rounds, ASK);
    rounds.view.leftOut = { results: 2, tokens: 480, keptTools: [], askedBy: "engine" };
    expect(rounds.view.edits).toBeDefined();
    const { entries, count } = carriedOut(rounds, clear(6));
    expect(entries.slice(1)).toMatchObject([
      { payload: { from: 2 } },
      { payload: { from: 4 } },
      { payload: { from: 6 } },
    ]);
    expect(count).toBe(3);
    const tokens = rounds.index.results.slice(0, 2).reduce((sum, result) => sum + result.tokens, 0);
    expect(entries[0]).toMatchObject({ payload: { returningTokens: tokens } });
    expect([rounds.view.edits, rounds.view.leftOut]).toEqual([undefined, undefined]);
  });

  test("also replaces deleted results, and ends the deletions", () => {
    const rounds = viewOfRounds(readRounds(4));
    const deletion = carriedOut(rounds, { kind: "delete-cached", entries: [2, 4] });
    expect(deletion.count).toBe(2);
    expect(rounds.view.deleted.map(({ entry }) => entry)).toEqual([2, 4]);
    const { entries } = carriedOut(rounds, clear(6));
    expect(entries.slice(1)).toMatchObject([
      { payload: { from: 2 } },
      { payload: { from: 4 } },
      { payload: { from: 6 } },
    ]);
    expect(rounds.view.deleted).toEqual([]);
  });
});

describe("a deletion from the cached prompt", () => {
  test("repeats the earlier deletions, and counts only the new ones", () => {
    const rounds = viewOfRounds(readRounds(4));
    carriedOut(rounds, { kind: "delete-cached", entries: [2] });
    const { entries, count } = carriedOut(rounds, { kind: "delete-cached", entries: [6] });
    expect(entries).toMatchObject([{ kind: "decision", payload: { deleted: [{ entry: 2 }, { entry: 6 }] } }]);
    expect(count).toBe(1);
  });
});

test("an edit by the provider that the session asks for already has no entries", () => {
  const rounds = viewOfRounds(readRounds(3));
  expect(carriedOut(rounds, ASK).entries).toMatchObject([{ kind: "decision", payload: { action: "ask-provider" } }]);
  expect(carriedOut(rounds, ASK)).toEqual({ entries: [], count: 0 });
});

test("figures are in input tokens if the prices of the model are unknown", () => {
  const { taken } = takeOf(ASK);
  const prices = { ...PRICES, input: 2, usdPerUnit: undefined };
  expect(figuresOf(taken, prices)).toMatchObject({ unit: "input-tokens", costNow: 500, savesLater: 617_284 });
});

test("a stub cuts a long input, and never within a character", () => {
  const textOf = (input: string): string => {
    const call = { kind: "tool_call", id: "a", name: "look", input } as const;
    return stubText({ entry: 7, call, characters: 5_000 } as ShownResult, "offered");
  };
  const whole = "x".repeat(118);
  expect(textOf(whole)).toContain(`"${whole}",`);
  expect(textOf(`${whole}y`)).toContain(`"${whole}y...,`);
  expect(textOf(`${whole}🙂`).isWellFormed()).toBe(true);
});
