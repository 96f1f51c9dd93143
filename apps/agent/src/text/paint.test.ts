import fc from "fast-check";
import { expect, test } from "vitest";
import { paint, themeOf } from "./paint.ts";

test("paint removes every terminal control sequence except its own colors", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const painted = paint([{ text, color: "bad", weight: "bold" }], "dark");
      const inside = painted.slice("\u001b[1;91m".length, -"\u001b[0m".length);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these characters
      expect(inside).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
  const hostile = "\u001b]0;title\u0007\u001b[2J\u009b31mred";
  expect(paint([{ text: hostile }], "dark")).toBe("red");
});

test("keeps bold text without colors", () => {
  expect(paint([{ text: "a", color: "bad" }], "none")).toBe("a");
  expect(paint([{ text: "a", color: "bad", weight: "bold" }], "none")).toBe("\u001b[1ma\u001b[0m");
  expect(themeOf({ NO_COLOR: "1" })).toBe("none");
  expect(themeOf({ COLORFGBG: "0;15" })).toBe("light");
  expect(themeOf({})).toBe("dark");
});
