import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { composeSummary, type SummaryParts } from "./draft.ts";

const composed = (parts: SummaryParts): string =>
  composeSummary(parts)
    .map(({ text }) => text)
    .join("\n\n");

const PARTS: SummaryParts = {
  preamble: "auto",
  summary: "Summary:\n## 1. Primary request and intent\nA parser.",
  userMessages: "[entry 1] Write a parser.",
  evidence: "edited src/parse.ts (entry 7)",
  pins: [{ entry: 3, text: "Never push." }],
  agents: "- a1 (background): look for callers [running]",
  todos: "- credit notes",
  latestResults: "[entry 9] 3 tests passed",
  recallHint: "Use recall with an entry number, or search.",
};

describe("the message that stands for what was folded", () => {
  test("says what it is, how to have the originals back, and then the parts in order", () => {
    const text = composed(PARTS);
    const order = [
      "continues an earlier part of the same conversation",
      "the user has not written it",
      "Use recall with an entry number, or search.",
      "Summary:\n## 1.",
      "What the user has said, word for word:\n[entry 1] Write a parser.",
      "Evidence from the record:\nedited src/parse.ts (entry 7)",
      "(entry 3):\nNever push.",
      "do not start them again:\n- a1",
      "Open todos, as they stood:\n- credit notes",
      "The latest results of tools:\n[entry 9] 3 tests passed",
      "Carry on with the last task",
    ].map((part) => text.indexOf(part));
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  test("carries on only when the work goes on by itself", () => {
    expect(composed(PARTS)).toMatch(/no break\. Do not recap.*no questions/);
    expect(composed({ ...PARTS, preamble: "autonomous" })).toMatch(/not a first start.*Go on with the loop/);
    const manual = composed({ ...PARTS, preamble: "manual" });
    expect(manual).not.toMatch(/carry on|go on/i);
    expect(manual.endsWith("3 tests passed")).toBe(true);
  });

  test("without a summary it says so; what is blank has no heading", () => {
    const text = composed({
      preamble: "manual",
      summary: undefined,
      userMessages: " ",
      evidence: "",
      pins: [],
      agents: "",
      recallHint: "",
    });
    expect(text).toContain("No summary could be written");
    expect(text).not.toMatch(/:\n|undefined/);
  });

  test("what a model wrote stands in a text of its own, which is not the host's; in place of none the host speaks", () => {
    const [opening, summary] = composeSummary(PARTS);
    expect(summary!.text.trim()).toBe(PARTS.summary);
    expect(opening!.text).not.toContain("A parser.");
    expect(opening!.provenance).toMatchObject({ kind: "host" });
    expect(summary!.provenance).not.toEqual(opening!.provenance);
    const without = composeSummary({ ...PARTS, summary: " " });
    expect(without[0]!.text).toContain("No summary could be written");
    expect(without).toHaveLength(composeSummary(PARTS).length - 1);
  });

  test("pins are there byte for byte, once each, whatever is in them", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", minLength: 1 }), { maxLength: 5 }), (texts) => {
        const pins = texts.map((text, index) => ({ entry: 100 + index, text }));
        const text = composed({ ...PARTS, pins });
        for (const pin of pins) expect(text.split(`(entry ${pin.entry}):\n${pin.text}\n\n`)).toHaveLength(2);
      }),
    );
  });

  test("the same parts give the same bytes", () => expect(composed({ ...PARTS })).toBe(composed(PARTS)));
});
