import { expect, test } from "vitest";
import { leaveRoom } from "./limits.ts";

test.each([
  ["a text with a character for every fourth token stays as it is", 4_000, 1_000, undefined],
  [
    "a longer one is cut, and says so",
    4_000,
    1_001,
    "This text has 1001 characters. In a window of 4000 tokens the model reads the first 1000.",
  ],
])("%s", (_, windowTokens, characters, cut) => {
  const text = "word ".repeat(300).slice(0, characters);
  const end = cut === undefined ? "" : `\n\n[${cut}]`;
  expect(leaveRoom(text, windowTokens)).toEqual({
    text: `${text.slice(0, 1_000)}${end}`,
    ...(cut === undefined ? {} : { cut }),
  });
});

test("no character is cut in two", () => {
  expect(leaveRoom("😀".repeat(10), 44).text).toMatch(/^(😀){5}\n\n\[This text has 20 characters/);
});
