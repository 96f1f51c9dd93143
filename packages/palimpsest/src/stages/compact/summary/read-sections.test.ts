import { describe, expect, test } from "vitest";
import { missingSections, readSections } from "./read-sections.ts";

const numbers = (text: string): readonly number[] => [...readSections(text).byNumber.keys()];

describe("the sections of a summary", () => {
  test("each have their heading and all of their lines; what stands before the first is the opening", () => {
    const { opening, byNumber } = readSections(
      "Summary:\nIn short.\n\n## 1. Request\nA parser.\n\nFast.\n\n## 2. Terms\nPEG.\n",
    );
    expect(opening).toBe("Summary:\nIn short.");
    expect([...byNumber]).toEqual([
      [1, "## 1. Request\nA parser.\n\nFast."],
      [2, "## 2. Terms\nPEG."],
    ]);
  });

  test.each([
    ["hashes", "## 4. Errors\nNone.\n## 5. Ways\nOne."],
    ["stars", "**4. Errors**\nNone.\n**5. Ways**\nOne."],
    ["brackets", "4) Errors\nNone.\n5) Ways\nOne."],
    ["other scripts", "4、错误\n没有。\n5、方法\n一个。"],
    ["a word before", "### Section 4: Errors\nNone.\n### Section 5: Ways\nOne."],
    ["titles without numbers", "## Errors and fixes\nNone.\n## Problem solving\nOne."],
    ["all on one line", "4. None\n5. One"],
    ["text behind a colon", "## 4. Errors: none at all\n## 5. Ways: one"],
  ])("are found by their numbers: %s", (_, text) => {
    expect(numbers(text)).toEqual([4, 5]);
  });

  test("that have no text do not count", () => {
    expect(numbers("## 1. Request\nA parser.\n## 2. Terms\n---\n## 3. Files:\n\n## 4. Errors\nNone.")).toEqual([1, 4]);
  });

  test("are not begun by lists, by headings within them, or by numbers in a code block", () => {
    const inner =
      "## 1. Request\n1. one\n2. two\n### 3. Inner\n```\n## 5. In code\n```\nMore.\n## 2. Terms\nPEG.\n## 1. Again\nNo.";
    const { byNumber } = readSections(inner);
    expect([...byNumber.keys()]).toEqual([1, 2]);
    expect(byNumber.get(1)).toContain("## 5. In code\n```\nMore.");
    expect(byNumber.get(2)).toContain("## 1. Again");
    // A block that is never closed is none.
    expect(numbers("## 1. Request\nA parser.\n```\n## 2. Terms\nPEG.")).toEqual([1, 2]);
  });

  test("that are missing are named", () => {
    expect(missingSections(readSections("## 2. Terms\nPEG.\n## 9. Next\nGo."))).toEqual([1, 3, 4, 5, 6, 7, 8]);
    expect(missingSections(readSections(""))).toHaveLength(9);
  });
});
