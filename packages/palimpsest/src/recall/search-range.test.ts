import fc from "fast-check";
import { expect, test } from "vitest";
import { searchRange } from "./search.ts";

const ALL = { fromLine: 1, maxCharacters: 100_000 };

test("the lines that contain a text are found, whatever its case and however they arrive", async () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", "B", "x", " "), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 20 }), async (lines, size) => {
      const text = lines.join("\n");
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      const { found, nextLine } = await searchRange(pieces, { ...ALL, search: "aB" });
      const wanted = lines.flatMap((each, index) => (each.toLowerCase().includes("ab") ? [index + 1] : []));
      expect(found.map((each) => each.line)).toEqual(wanted);
      expect(found.map((each) => each.text)).toEqual(wanted.map((number) => lines[number - 1]));
      expect(nextLine).toBeUndefined();
    }),
  );
});

test("in a line without end a place is found wherever it was cut, and told with what stands around it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 20_000 }), async (at) => {
      const text = `first\n${"-".repeat(at)}needle${"-".repeat(30_000 - at)}`;
      const { found } = await searchRange([text], { ...ALL, search: "Needle" });
      expect(found[0]).toMatchObject({ line: 2, character: at + 1 });
      expect(found[0]!.text).toContain("needle");
      expect(found[0]!.text.length).toBeLessThan(300);
      expect(found.length).toBe(1);
    }),
    { numRuns: 40 },
  );
});

test("an answer is bounded, and says where to go on", async () => {
  const text = "a match\n".repeat(1_000);
  const first = await searchRange([text], { search: "match", fromLine: 1, maxCharacters: 70 });
  expect(first.found).toHaveLength(10);
  expect(first.nextLine).toBe(11);
  const second = await searchRange([text], { search: "match", fromLine: 11, maxCharacters: 70 });
  expect(second.found[0]!.line).toBe(11);
});
