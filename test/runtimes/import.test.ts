import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";
import { bundle } from "./bundle.ts";

/** The patterns with Unicode classes that are literals in this code. */
function unicodeLiterals(code: string): readonly string[] {
  const found: string[] = [];
  const visitor = new Visitor({
    Literal(node) {
      if ("regex" in node && /\\[pP]\{/.test(node.regex.pattern)) found.push(node.regex.pattern);
    },
  });
  visitor.visit(parseSync("bundle.js", code).program);
  return found;
}

// V8 spends 0.3 ms on each of them as soon as it reads the file: `lazyPattern` builds them at their first use.
test.each(["palimpsest", "palimpsest/anthropic", "palimpsest/openai"])(
  "%s has no literal pattern with a Unicode class",
  async (name) => {
    expect(unicodeLiterals((await bundle(name, "es")).code)).toEqual([]);
  },
);

test("a literal pattern with a Unicode class is found", () => {
  expect(
    unicodeLiterals(String.raw`const isWord = (text) => /^\p{L}+$/u.test(text); const isNumber = /^\d+$/;`),
  ).toEqual([String.raw`^\p{L}+$`]);
});
