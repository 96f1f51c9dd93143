import { expect, test } from "vitest";
import { minimumTokens } from "../size/budget.ts";
import { startCalibration } from "../size/calibration.ts";
import { addFeatures, NO_FEATURES } from "../size/features.ts";
import { messageItem } from "./items.ts";
import { findTruncation } from "./truncation.ts";
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

test("a report far below what any tokenizer makes of the input shows that it was cut", () => {
  expect(findTruncation(awaiting([said(1, 2_000)]), reported(1_000))).toMatchObject({ readTokens: 1_000 });
});

test("a report a little below what a tokenizer makes of the input shows nothing, also if more was said meanwhile", () => {
  const first = said(1, 2_000);
  const least = Math.ceil(0.86 * minimumTokens(first.features));
  expect(findTruncation(awaiting([first]), reported(least))).toBeUndefined();
  expect(findTruncation(awaiting([first, said(6, 20_000)]), reported(least))).toBeUndefined();
});

test("a report that grows with what was added shows nothing, if the one before it was as low", () => {
  const [first, added] = [said(1, 2_000), said(4, 100)];
  const anchor = { request: 2, responseId: "r", tokens: 3_000, inputTokens: 2_990, prefix: "same" } as const;
  const view = Object.assign(awaiting([first, added]), { anchor });
  view.awaited = { request: REQUEST, since: added.features };
  expect(0.6 * minimumTokens(first.features)).toBeGreaterThan(3_400);
  expect(findTruncation(view, reported(3_400))).toBeUndefined();
  // The same input as before, although something was added.
  expect(findTruncation(view, reported(2_990))).toMatchObject({ readTokens: 2_990 });
});

test("a report that names a cache, edits or deletions is not of the whole input, and shows nothing", () => {
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
