import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../../../test/processor-ms.ts";
import { fitsGlob, type GlobKind } from "./glob.ts";

/** What a pattern means, written down the short and slow way: every way to split the text is tried. */
function reference(pattern: string, text: string, kind: GlobKind): boolean {
  if (pattern === "") return text === "";
  const ends = Array.from({ length: text.length + 1 }, (_, end) => end);
  if (kind === "path" && pattern.startsWith("**/")) {
    const rest = pattern.slice(3);
    return ends.some((end) => (end === 0 || text[end - 1] === "/") && reference(rest, text.slice(end), kind));
  }
  const stars = /^\*+/.exec(pattern)?.[0];
  if (stars === undefined) return pattern[0] === text[0] && reference(pattern.slice(1), text.slice(1), kind);
  const rest = pattern.slice(stars.length);
  const within = kind === "path" && stars.length === 1;
  return ends.some((end) => !(within && text.slice(0, end).includes("/")) && reference(rest, text.slice(end), kind));
}

const characters = (from: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...from), { maxLength }).map((pieces) => pieces.join(""));

test.each<GlobKind>(["text", "path"])("fits what the reference fits: %s", (kind) => {
  const pattern = characters(["a", "b", "/", "*", "**", "**/", "."], 8);
  // So that places lie on both sides of where the bits of a word end.
  const lead = fc.constantFrom(0, 28, 31, 32, 60).map((count) => "x".repeat(count));
  let fitting = 0;
  fc.assert(
    fc.property(pattern, characters(["a", "b", "/", "."], 9), lead, (shape, text, before) => {
      const fits = fitsGlob(before + shape, before + text, kind);
      if (fits) fitting++;
      expect(fits).toBe(reference(shape, text, kind));
    }),
    { numRuns: 5_000 },
  );
  expect(fitting).toBeGreaterThan(100);
});

test("what is special in expressions and other globs is not special here", () => {
  for (const text of ["a?b", "[ab]", "{a,b}", "a\\b", "(a|b)+$", "é🙂"]) {
    expect(fitsGlob(text, text, "path")).toBe(true);
    expect(fitsGlob(`*${text}`, `x${text}`, "text")).toBe(true);
  }
  expect(fitsGlob("a?b", "axb", "path")).toBe(false);
});

/** Each of them takes a backtracking matcher longer than the universe. */
test.each<[string, string, GlobKind]>([
  ["* * * * *\u0001", "e ".repeat(8_000), "text"],
  ["*e".repeat(128), `${"e".repeat(16_000)}!`, "text"],
  ["**/e".repeat(64), "e/".repeat(2_048), "path"],
  ["**/*e".repeat(50), `${"e".repeat(4_096)}!`, "path"],
  ["*".repeat(256), "e".repeat(16_000), "text"],
  [`${"**/".repeat(80)}z`, "e/".repeat(2_048), "path"],
])("takes no longer than text times pattern: %s", async (pattern, text, kind) => {
  const usedMs = await processorMs(() => expect(fitsGlob(pattern, text, kind)).toBe(/^\*+$/.test(pattern)));
  // Some 20 ms each, on a machine that may be slow.
  expect(usedMs).toBeLessThan(2_000);
});
