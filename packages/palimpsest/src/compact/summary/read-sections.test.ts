import { expect, test } from "vitest";
import { isEmptySummary, numberSections, readSections, splitSections } from "./forms.ts";

const asked = numberSections(Object.fromEntries("abcdefghi".split("").map((title) => [title, "?"])));

const numbers = (text: string): readonly number[] => [...readSections(text, asked).keys()];

test("sections are not begun by lists, by headings within them, or by numbers in a code block", () => {
  const inner =
    "## 1. Request\n1. one\n2. two\n### 3. Inner\n```\n## 5. In code\n```\nMore.\n## 2. Terms\nPEG.\n## 1. Again\nNo.";
  const byNumber = readSections(inner, asked);
  expect([...byNumber.keys()]).toEqual([1, 2]);
  expect(byNumber.get(1)).toContain("## 5. In code\n```\nMore.");
  expect(byNumber.get(2)).toContain("## 1. Again");
  // A block that is never closed is none.
  expect(numbers("## 1. Request\nA parser.\n```\n## 2. Terms\nPEG.")).toEqual([1, 2]);
});

test("a heading without a number is found by its title", () => {
  const ticket = numberSections({ Customer: "who", Promised: "what" });
  expect([...readSections("## Customer\nAnn.\n## Promised:\nA refund.", ticket).keys()]).toEqual([1, 2]);
  expect([...readSections("**Promised**\nA refund.\n**Customer**\n", ticket).keys()]).toEqual([2]);
  expect([...readSections("Ann was promised a refund.", ticket).keys()]).toEqual([]);
});

test("any text is split at its own headings", () => {
  const { opening, sections } = splitSections("Hello.\n## Who\nAnn.\n### More\nBob.\n## What\nA refund.");
  expect(opening).toBe("Hello.");
  expect(sections.map(({ key }) => key)).toEqual(["who", "what"]);
  expect(sections[0]!.text).toContain("### More");
});

test.each<[string, boolean]>([
  ["## 1. Who\nNone\n## 2. What\nNone.", true],
  ["Summary:\nNone.", true],
  ["## 1. Who\nNone\n## 2. What\nA refund.", false],
  ["A refund was promised.", false],
])("headings over nothing are an empty summary: %j is %s", (text, expected) => {
  expect(isEmptySummary(text)).toBe(expected);
});
