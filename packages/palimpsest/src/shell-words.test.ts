import fc from "fast-check";
import { expect, test } from "vitest";
import { shellTokens } from "./shell-words.ts";

const textsOf = (line: string): readonly string[] => shellTokens(line).map(({ text }) => text);

test.each([
  ["cat a.ts|tail -5", ["cat", "a.ts", "|", "tail", "-5"]],
  ["cd x&&make 2>&1", ["cd", "x", "&&", "make", "2>&", "1"]],
  ["echo 'a b' \"c d\"e f\\ g", ["echo", "a b", "c de", "f g"]],
  ["a;b\nc &", ["a", ";", "b", "\n", "c", "&"]],
  ["cat <<<x >>y 12>z a2>b", ["cat", "<<<", "x", ">>", "y", "12>", "z", "a2", ">", "b"]],
  ['""', [""]],
  ["  ", []],
])("splits %j into words and operators", (line, texts) => {
  expect(textsOf(line)).toEqual(texts);
});

test.each([
  ["a.ts", "bare"],
  ["'a$b'", "quoted"],
  ['"a b"', "quoted"],
  ['"$a"', "open"],
  ["$a", "open"],
  ["*.ts", "open"],
  ["a\\ b", "open"],
  ["'a", "open"],
])("tells what the shell does with the word %s", (line, state) => {
  expect(shellTokens(line)).toMatchObject([{ kind: "word", state }]);
});

test("places every token of any text in order, and leaves only blanks between them", () => {
  const line = fc.string({ unit: fc.constantFrom(..."ab1 \t\n'\"\\|&;<>()$*"), maxLength: 40 });
  fc.assert(
    fc.property(line, (text) => {
      let at = 0;
      for (const { start, end } of shellTokens(text)) {
        expect(text.slice(at, start).trim()).toBe("");
        expect(end).toBeGreaterThan(start);
        at = end;
      }
      expect(text.slice(at).trim()).toBe("");
    }),
  );
});
