import fc from "fast-check";
import { expect, test } from "vitest";
import type { LineRange } from "../evidence/calls.ts";
import { planFiles, type RankedFile } from "./attachments.ts";

const countTokens = (text: string): number => Math.ceil(text.length / 4);
const ranked = (path: string, ranges?: readonly LineRange[], score = 1): RankedFile => ({
  path,
  entry: 1,
  score,
  ...(ranges === undefined ? {} : { ranges }),
});
const numbered = (lines: number): string => Array.from({ length: lines }, (_, index) => `line ${index + 1}`).join("\n");

test("small files come whole, of large ones the parts that were looked at with what surrounds them", () => {
  const contents = new Map([
    ["small", "one\ntwo"],
    ["large", numbered(5_000)],
  ]);
  const [small, large] = planFiles(
    [
      ranked("small", [[1, 1]]),
      ranked("large", [
        [100, 110],
        [4_000, 4_010],
        [112, 120],
      ]),
    ],
    contents,
    {
      countTokens,
    },
  );
  expect(small).toMatchObject({ extent: "whole", parts: [{ lines: [1, 2], text: "one\ntwo" }] });
  expect(large).toMatchObject({ extent: "parts", parts: [{ lines: [85, 135] }, { lines: [3_985, 4_025] }] });
  expect(large!.parts[0]!.text.split("\n").at(0)).toBe("line 85");
  expect(large!.parts[0]!.text.split("\n").at(-1)).toBe("line 135");
});

test("the place of an edit comes back, where it stands now, before lines that were only read", () => {
  const lines = numbered(5_000).split("\n");
  lines[2_999] = "  const written = byTheModel();";
  const written = [{ line: "const written = byTheModel();", before: 0, after: 0 }];
  const file = { ...ranked("large", [[100, 110]]), written };
  const contents = new Map([["large", lines.join("\n")]]);
  const linesWithin = (perFileTokens: number) =>
    planFiles([file], contents, { countTokens, perFileTokens })[0]!.parts.map((part) => part.lines);
  expect(linesWithin(5_000)).toEqual([
    [85, 125],
    [2_985, 3_015],
  ]);
  expect(linesWithin(90)).toEqual([[2_985, 3_015]]);
});

test("what does not fit is skipped, a smaller one may follow; what is gone is passed over", () => {
  const contents = new Map([
    ["huge", numbered(9_000)],
    ["first", "a".repeat(360)],
    ["second", "b".repeat(80)],
    ["third", "c".repeat(40)],
  ]);
  const files = ["gone", "huge", "first", "second", "third"].map((path, index) =>
    ranked(path, undefined, 9 / 3 ** index),
  );
  const plan = planFiles(files, contents, { countTokens, totalTokens: 100 });
  expect(plan.map(({ path, tokens }) => [path, tokens])).toEqual([
    ["first", 90],
    ["third", 10],
  ]);
});

test("of a part that is too large its beginning is put back; a file costs others their place only if it is worth it", () => {
  const contents = new Map([
    ["large", numbered(5_000)],
    ["small", numbered(60)],
  ]);
  const options = { countTokens, perFileTokens: 1_000, totalTokens: 1_050 };
  const [large] = planFiles([ranked("large", [[1_000, 4_000]])], contents, options);
  expect(large!.parts).toMatchObject([{ lines: [985, expect.any(Number)] }]);
  expect(large!.tokens).toBeGreaterThan(900);
  const paths = (score: number) =>
    planFiles([ranked("large", [[1_000, 4_000]], score), ranked("small")], contents, options).map(({ path }) => path);
  expect(paths(2)).toEqual(["small", "large"]);
  expect(paths(9)).toEqual(["large"]);
});

test("no limit is ever exceeded, and every part is what stands in the file", () => {
  const anyRange = fc
    .tuple(fc.integer({ min: 1, max: 300 }), fc.nat(60))
    .map(([first, more]) => [first, first + more] as const);
  const anyFile = fc.record({
    lines: fc.nat(250),
    ranges: fc.option(fc.array(anyRange, { maxLength: 5 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      fc.array(anyFile, { maxLength: 8 }),
      fc.nat(900),
      fc.nat(400),
      fc.nat(200),
      (files, totalTokens, perFileTokens, wholeTokens) => {
        const contents = new Map(files.map(({ lines }, index) => [`f${index}`, numbered(lines)]));
        const options = { countTokens, totalTokens, perFileTokens, wholeTokens, surroundingLines: 3 };
        const plan = planFiles(
          files.map(({ ranges }, index) => ranked(`f${index}`, ranges)),
          contents,
          options,
        );
        expect(plan.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(totalTokens);
        for (const { path, parts, tokens } of plan) {
          expect(tokens).toBeLessThanOrEqual(perFileTokens);
          expect(tokens).toBe(parts.reduce((sum, { text }) => sum + countTokens(text), 0));
          const lines = contents.get(path)!.split("\n");
          for (const {
            lines: [first, last],
            text,
          } of parts)
            expect(text).toBe(lines.slice(first - 1, last).join("\n"));
          for (const [
            index,
            {
              lines: [first],
            },
          ] of parts.entries())
            expect(first).toBeGreaterThan(parts[index - 1]?.lines[1] ?? 0);
        }
        expect(new Set(plan.map(({ path }) => path)).size).toBe(plan.length);
      },
    ),
  );
});
