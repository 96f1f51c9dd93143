import { expect, test } from "vitest";
import { clipTranscript, cutPlace } from "./clip-transcript.ts";

const TEXT = "<entry 1, user>\nHello there.\n</entry>\n<entry 2, tool>\nfirst\nsecond\n</entry>\n";
const at = (words: string): number => TEXT.indexOf(words);

test("a part between entries is as it is", () => {
  expect(clipTranscript(TEXT, 0, TEXT.length)).toBe(TEXT);
  expect(clipTranscript(TEXT, at("<entry 2"), TEXT.length)).toBe(TEXT.slice(at("<entry 2")));
  expect(clipTranscript(TEXT, 0, at("<entry 2"))).toBe(TEXT.slice(0, at("<entry 2")));
});

test("an entry that is cut is closed, and goes on under its own label", () => {
  expect(clipTranscript(TEXT, at("<entry 2"), at("second"))).toBe("<entry 2, tool>\nfirst\n</entry>");
  expect(clipTranscript(TEXT, at("<entry 2"), at("cond"))).toBe("<entry 2, tool>\nfirst\nse\n</entry>");
  const rest = clipTranscript(TEXT, at("second"), TEXT.length);
  expect(rest).toBe("<entry 2, tool, continued>\nsecond\n</entry>\n");
  // Cut once more, it is continued still, and says so once.
  expect(clipTranscript(rest, rest.indexOf("cond"), rest.length)).toBe("<entry 2, tool, continued>\ncond\n</entry>\n");
});

test("a cut goes back to the beginning of a line, if that is near; never into a pair of surrogates", () => {
  expect(cutPlace(TEXT, at("cond"))).toBe(at("second"));
  expect(cutPlace(TEXT, at("second"))).toBe(at("second"));
  expect(cutPlace(TEXT, TEXT.length + 9)).toBe(TEXT.length);
  expect(cutPlace(TEXT, -1)).toBe(0);
  const long = `\n${"x".repeat(500)}`;
  expect(cutPlace(long, 200)).toBe(1);
  expect(cutPlace(long, 201)).toBe(201);
  expect(cutPlace(`${"x".repeat(300)}🙂y`, 301)).toBe(300);
});
