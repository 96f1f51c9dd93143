import { expect, test } from "vitest";
import { addFeatures, type Features, NO_FEATURES, startCalibration } from "../size/calibration.ts";
import { messageItem } from "./items.ts";
import { findTruncation, minimumTokens } from "./truncation.ts";
import { createView, type MessageItem, type View } from "./view.ts";

const REQUEST = 5;

function said(at: number, words: number): MessageItem {
  const text = "the quick brown fox ".repeat(words);
  return messageItem(at, { role: "user", origin: "human", blocks: [{ kind: "text", text }] });
}

/** A view whose request at entry 5 waits for its answer. */
function awaiting(items: readonly MessageItem[]): View {
  const sent = items.filter(({ to }) => to < REQUEST);
  const since = sent.reduce((sum, { features }) => addFeatures(sum, features), NO_FEATURES);
  const view = createView(startCalibration());
  view.items.push(...items);
  return Object.assign(view, { awaited: { request: REQUEST, since } });
}

const reported = (freshTokens: number) => ({
  answers: REQUEST,
  freshTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});

test("detects a cut by a report far below the count of any tokenizer", () => {
  expect(findTruncation(awaiting([said(1, 2_000)]), reported(1_000))).toMatchObject({ readTokens: 1_000 });
});

test("finds no cut if the report is a little below the count of a tokenizer, even after newer messages", () => {
  const first = said(1, 2_000);
  const least = Math.ceil(0.86 * minimumTokens(first.features));
  expect(findTruncation(awaiting([first]), reported(least))).toBeUndefined();
  expect(findTruncation(awaiting([first, said(6, 20_000)]), reported(least))).toBeUndefined();
});

test("finds no cut if the report grows with the added content and the previous report was as low", () => {
  const [first, added] = [said(1, 2_000), said(4, 100)];
  const anchor = { request: 2, responseId: "r", tokens: 3_000, inputTokens: 2_990, prefix: "same" } as const;
  const view = Object.assign(awaiting([first, added]), { anchor });
  view.awaited = { request: REQUEST, since: added.features };
  expect(0.6 * minimumTokens(first.features)).toBeGreaterThan(3_400);
  expect(findTruncation(view, reported(3_400))).toBeUndefined();
  // The same input as before, although something was added.
  expect(findTruncation(view, reported(2_990))).toMatchObject({ readTokens: 2_990 });
});

test("skips reports with cache reads, edits or deletions", () => {
  const view = awaiting([said(1, 2_000)]);
  for (const partly of [
    { cacheReadTokens: 1 },
    { cacheWriteTokens: 1 },
    { deletedTokens: 1 },
    { appliedEdits: { results: 1, thinkingTurns: 0, tokens: 9_000 } },
  ]) {
    expect(findTruncation(view, { ...reported(1_000), ...partly }), JSON.stringify(partly)).toBeUndefined();
  }
});

test.each<[string, Partial<Features>, number]>([
  ["words by number and length", { words: 10, letters: 60 }, 12],
  ["numbers by number and length", { numbers: 10, digits: 100 }, 21],
  ["marks and line ends as half a token", { marks: 30, lines: 20, spaces: 200 }, 25],
  ["letters of other scripts as a fifth of a token", { foreignLetters: 100 }, 20],
  ["ideographs and symbols as half a token, and emoji as one", { ideographs: 10, symbols: 10, emoji: 3 }, 13],
  ["at most one token for five characters of ordinary text", { words: 100, letters: 100 }, 40],
  ["no tokens for words that are longer than in any language", { words: 1, letters: 1_000, runOnLetters: 1_000 }, 0],
  [
    "no tokens for content that a provider may count in its own way",
    { images: 3, documents: 2, toolCalls: 9, blocks: 9 },
    0,
  ],
  ["tokens that a tokenizer counted", { countedTokens: 77 }, 77],
])("minimumTokens counts %s", (_, features, tokens) => {
  expect(minimumTokens({ ...NO_FEATURES, ...features })).toBe(tokens);
});
