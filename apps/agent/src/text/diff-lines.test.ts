import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../../../test/processor-ms.ts";
import { diffLines, linesOf, type TextDiff } from "./diff-lines.ts";

const numbered = (count: number, change: (at: number) => string = (at) => `line ${at}`): string =>
  Array.from({ length: count }, (_, index) => `${change(index + 1)}\n`).join("");
const shown = ({ lines }: TextDiff): readonly string[] =>
  lines.map(
    ({ kind, number = "", text }) => `${number} ${{ same: " ", added: "+", removed: "-", skipped: "~" }[kind]} ${text}`,
  );

test("shows each change with line numbers and three context lines, and counts skipped lines", async () => {
  const after = numbered(40, (at) => (at === 12 ? "changed" : at === 30 ? "changed\nand one more" : `line ${at}`));
  expect(shown(await diffLines(numbered(40), after))).toEqual([
    " ~ 8 unchanged lines",
    "9   line 9",
    "10   line 10",
    "11   line 11",
    "12 - line 12",
    "12 + changed",
    "13   line 13",
    "14   line 14",
    "15   line 15",
    " ~ 11 unchanged lines",
    "27   line 27",
    "28   line 28",
    "29   line 29",
    "30 - line 30",
    "30 + changed",
    "31 + and one more",
    "32   line 31",
    "33   line 32",
    "34   line 33",
    " ~ 7 unchanged lines",
  ]);
});

test("compares two texts without common lines in bounded time", async () => {
  const [before, after] = [numbered(6_000), numbered(6_000, (at) => (at === 1 ? "line 1" : `other ${at}`))];
  const usedMs = await processorMs(async () => {
    const { added, removed, lines } = await diffLines(before, after);
    expect([added, removed, lines[0]]).toEqual([5_999, 5_999, { kind: "same", number: 1, text: "line 1" }]);
  });
  // Takes about 200 ms. Comparing all lines would take more than 10 s.
  expect(usedMs).toBeLessThan(4_000);
});

test("reports changed line breaks inside the text and at the end of the file", async () => {
  expect((await diffLines("a\r\nb\r\n", "a\r\nc\r\n")).lines.map(({ text }) => text)).toEqual(["a", "b", "c"]);
  expect((await diffLines("a\nb\n", "a\r\nb\n")).lines.map(({ text }) => text)).toEqual(["a", "a\r", "b"]);
  expect(shown(await diffLines("a\n", "a"))).toContain(" ~ no line break at the end of the file");
});

test("a diff applied to the old text yields the new text, and the reverse", async () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 })
    .map((lines) => lines.map((l) => `${l}\n`).join(""));
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const { lines } = await diffLines(before, after);
      // Both texts contain the skipped lines, so checking the numbers of the other lines is enough.
      for (const { kind, number, text: line } of lines) {
        if (kind === "skipped") continue;
        expect(linesOf(kind === "removed" ? before : after)[number! - 1]).toBe(line);
      }
      const rest = (kind: "added" | "removed", of: string): readonly string[] => {
        const gone = new Set(lines.filter((line) => line.kind === kind).map(({ number }) => number));
        return linesOf(of).filter((_, index) => !gone.has(index + 1));
      };
      expect(rest("added", after)).toEqual(rest("removed", before));
    }),
  );
});
