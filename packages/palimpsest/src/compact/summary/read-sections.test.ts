import { expect, test } from "vitest";
import { readSections } from "./sections.ts";

const numbers = (text: string): readonly number[] => [...readSections(text).byNumber.keys()];

test("sections are not begun by lists, by headings within them, or by numbers in a code block", () => {
  const inner =
    "## 1. Request\n1. one\n2. two\n### 3. Inner\n```\n## 5. In code\n```\nMore.\n## 2. Terms\nPEG.\n## 1. Again\nNo.";
  const { byNumber } = readSections(inner);
  expect([...byNumber.keys()]).toEqual([1, 2]);
  expect(byNumber.get(1)).toContain("## 5. In code\n```\nMore.");
  expect(byNumber.get(2)).toContain("## 1. Again");
  // A block that is never closed is none.
  expect(numbers("## 1. Request\nA parser.\n```\n## 2. Terms\nPEG.")).toEqual([1, 2]);
});
