import { expect, test } from "vitest";
import { shortenText } from "./sections.ts";

const mark = (characters: number): string => `[${characters} left out]`;

test("a text that fits stays as it is", () => {
  expect(shortenText("0123456789", 10, mark)).toBe("0123456789");
});

test("a longer one keeps its two ends, more of its end, and says how much is gone between them", () => {
  expect(shortenText("0123456789ABCDEFGHIJ", 10, mark)).toBe("0123\n[10 left out]\nEFGHIJ");
});

test("it is cut at the ends of lines where they are near", () => {
  const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
  const [head, tail] = shortenText(text, 400, (left) => `[${left}]`).split(/\n\[\d+\]\n/);
  expect(text.startsWith(`${head}\n`)).toBe(true);
  expect(text.endsWith(`\n${tail}`)).toBe(true);
  expect(head!.length).toBeLessThan(tail!.length);
  const said = Number(/\[(\d+)\]/.exec(shortenText(text, 400, (left) => `[${left}]`))![1]);
  // The line end before the mark is the head's own.
  expect(said).toBe(text.length - head!.length - 1 - tail!.length);
});

test("with hardly any room there is only the end, or only the mark", () => {
  expect(shortenText("0123456789", 1, mark)).toBe("[9 left out]\n9");
  expect(shortenText("0123456789", 0, mark)).toBe("[10 left out]");
});
