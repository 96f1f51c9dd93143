// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of the shell

import { expect, test } from "vitest";
import { commandForms, commandText } from "./command-forms.ts";
import { parseLine } from "./parse-line.ts";

function commandOf(text: string) {
  const line = parseLine(text);
  if (line.kind !== "parsed") throw new Error(line.problem);
  return line.commands.at(-1)!;
}

test.each([
  ["npm   run  a", "npm run a"],
  ["'npm run' a", "'npm run' a"],
  ["A=1 npm 'a'", "A=1 npm a"],
  ['echo "it\'s"', "echo 'it'\\''s'"],
  ["echo ''", "echo ''"],
  ["ls *.ts a@b%c+d:e,f/~^[g]!#-", "ls *.ts a@b%c+d:e,f/~^[g]!#-"],
  ["echo 'a;b'", "echo 'a;b'"],
])("a command as rules that allow see it, quoted where two words would be taken for one: %s", (text, expected) => {
  expect(commandText(commandOf(text))).toBe(expected);
});

test.each([
  ["/bin/rm 'a b'", ["/bin/rm a b", "rm a b"], ["/bin/rm a b", "rm a b"]],
  ["git -C x push", ["git -C x push", "git -C x push", "git push"], ["git -C x push", "git -C x push", "git push"]],
  ["rm a$X b", ["rm a$X b", "rm a$X b"], ["rm a", "rm a"]],
  ["rm a* b", ["rm a* b", "rm a* b"], ["rm a*", "rm a*"]],
  ["$X a", ["$X a", "$X a"], ["", ""]],
  ["A=1", [], []],
])("a command as rules that forbid see it, and how much of that is sure: %s", (text, texts, beginnings) => {
  const forms = commandForms(commandOf(text));
  expect(forms.map((form) => form.text)).toEqual(texts);
  expect(forms.map((form) => form.beginning)).toEqual(beginnings);
});

test.each([
  ["a", "a", "a", "known"],
  ["'a b'\"c\"\\ d$'\\x41'", "a bc dA", "a bc dA", "known"],
  ["''", "", "", "known"],
  ["a$X/b", "a$X/b", "a", "unknown"],
  ['"a${X}"b', "a${X}b", "a", "unknown"],
  ["a$(ls)", "a$(ls)", "a", "unknown"],
  ["$HOME/a", "~/a", "~/a", "unknown"],
  ['"${HOME}/a/$X"', "~/a/$X", "~/a/", "unknown"],
  ["a?b", "a?b", "a?b", "pattern"],
  ["*$X", "*$X", "*", "unknown"],
])("what is known of the word %s", (written, text, lead, state) => {
  expect(commandOf(`echo ${written}`).words[1]).toEqual({ text, lead, state });
});

test("of a variable with a list, an index or more to its end nothing is known", () => {
  for (const [written, text, state] of [
    ["A=b", "A=b", "known"],
    ["A=$X", "A=$X", "unknown"],
    ["A+=b", "A+=b", "unknown"],
    ["A[1]=b", "A[1]=b", "unknown"],
    ["A=(b c)", "A=(b c)", "unknown"],
  ] as const)
    expect(commandOf(`${written} ls`).assignments).toMatchObject([{ text, state }]);
});
