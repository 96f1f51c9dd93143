import { describe, expect, test } from "vitest";
import type { Pin } from "../state/carried.ts";
import { draftSummary, draftTexts, type RoomPart, type SummaryMaterial, type SummaryTexts } from "./draft.ts";

import { readEvidence } from "./evidence/state.ts";

const countTokens = (text: string): number => Math.ceil(text.length / 4);
const tokens = (count: number, of = "x"): string => of.repeat(count * 4);

const ROOM: Readonly<Record<RoomPart, number>> = {
  summary: 2_000,
  userMessages: 1_000,
  latestResults: 500,
  quotedLines: 400,
  evidence: 600,
  files: 0,
  skills: 0,
  surroundings: 100,
};
/** Rounds of 200 tokens each. */
const ROUNDS = ["a", "b", "c", "d"].map((of, index) => ({ text: tokens(200, of), from: index + 1, to: index + 1 }));
const [, , third, newest] = ROUNDS.map(({ text }) => text);

interface Given extends Partial<SummaryMaterial> {
  readonly said?: string;
  readonly summary?: string | undefined;
  readonly room?: Partial<typeof ROOM>;
}

function draft({ said = "Go on.", room, ...more }: Given): SummaryTexts {
  const { summary, ...material } = {
    summary: "Summary: all done.",
    userMessages: [{ entry: 1, text: said }],
    work: ROUNDS,
    turn: "open",
    agents: [],
    countTokens,
    ...more,
  };
  return draftTexts(summary, { ...ROOM, ...room }, material as unknown as SummaryMaterial);
}

describe("the words of the user", () => {
  test.each([
    ["within their share take nothing from the others", 1_000, [third, newest], 400],
    ["beyond it take first from the results", 1_250, [newest], 400],
    ["then from the quoted lines", 1_700, [], 200],
    ["and stay whole for half of what the others have", 1_750, [], 150],
  ])("%s", (_, size, results, quotedLinesTokens) => {
    // With the number of the entry it is one token more.
    const said = tokens(size - 1);
    const texts = draft({ said });
    expect(texts.userMessages).toBe(`[1] ${said}`);
    expect(texts.latestResults).toBe(results.join("\n"));
    expect(texts).toMatchObject({ quotedLinesTokens, evidenceTokens: 600 });
  });

  test("are cut beyond that, and then the others have their shares", () => {
    const texts = draft({ said: tokens(1_750) });
    expect(texts.userMessages).toMatch(/x\n\[\.\.\. \d+ characters of entry 1 left out \.\.\.\]\nx/);
    expect(countTokens(texts.userMessages)).toBeLessThanOrEqual(ROOM.userMessages);
    expect(texts.latestResults).toBe(`${third}\n${newest}`);
    expect(texts).toMatchObject({ quotedLinesTokens: 400, evidenceTokens: 600 });
  });
});

describe("the newest results", () => {
  const many = Array.from({ length: 20 }, (_, index) => ({
    text: tokens(200, `${index % 10}`),
    from: index,
    to: index,
  }));

  test("are told inside a turn only, if a model wrote the summary", () => {
    expect(draft({ turn: "closed" }).latestResults).toBe("");
    expect(draft({ turn: "open" }).latestResults).toBe(`${third}\n${newest}`);
  });

  test("take the summary's place and room if no model wrote one", () => {
    const { latestResults } = draft({ turn: "closed", summary: undefined, work: many });
    expect(latestResults.split("\n")).toEqual(many.slice(-12).map(({ text }) => text));
  });

  test("of a round that is too long are told by both ends", () => {
    const long = `first\n${tokens(3_000)}\nlast`;
    const { latestResults } = draft({ work: [...ROUNDS, { text: long, from: 7, to: 9 }] });
    expect(latestResults).toMatch(/^first\n.*\[left out: \d+ characters of entries 7 to 9\].*\nlast$/s);
    expect(countTokens(latestResults)).toBeLessThanOrEqual(ROOM.latestResults);
  });
});

test("todos that are too long are told by both ends, or not at all if that would say too little", () => {
  const todos = `first\n${tokens(300)}\nlast`;
  expect(draft({ todos }).todos).toMatch(/^first\n.*\[left out: \d+ characters\].*\nlast$/s);
  expect(draft({ todos, room: { surroundings: 30 } }).todos).toBe("");
});

test("the parts of a message are those that it has: pins are among them only if something is pinned", () => {
  const partsWith = (pins: readonly Pin[]) => {
    const material = { preamble: "auto", evidence: readEvidence(undefined), pins, recallHint: "", countTokens };
    const texts = draft({ turn: "closed", work: [] });
    const beside = { texts: [], quotedLinesTokens: 0 };
    return draftSummary(texts, material as unknown as SummaryMaterial, beside).parts;
  };
  const parts = { summary: countTokens("Summary: all done."), userMessages: countTokens("[1] Go on.") };
  expect(partsWith([])).toEqual(parts);
  expect(partsWith([{ entry: 2, text: tokens(7) }])).toEqual({ ...parts, pins: 7 });
});
