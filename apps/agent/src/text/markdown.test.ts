import { expect, test } from "vitest";
import { processorMs } from "../../../../test/processor-ms.ts";
import { highlight } from "./highlight.ts";
import { textOf } from "./line.ts";
import {
  blockLines,
  endMarkdown,
  inlineMarkdown,
  isBetweenBlocks,
  MARKDOWN_START,
  readMarkdown,
  readWholeMarkdown,
  recordLines,
} from "./markdown.ts";
import { lineWidth } from "./width.ts";

const shown = (text: string, columns = 78): string =>
  readWholeMarkdown(text)
    .flatMap((block) => blockLines(block, columns))
    .map((line) => textOf(line).trimEnd())
    .join("\n");

test.each([
  ["foo__bar__baz"],
  ["mcp__tiny__weather"],
  ["__init__ and __init__.py"],
  ["snake_case_name, _private_, a*b*c, 2 * 3 * 4"],
  ["C:\\path\\to and ~/home~"],
  ["<div> & </div>"],
  ["#!/bin/sh"],
])("inlineMarkdown keeps every character of %s", (text) => {
  expect(textOf(inlineMarkdown(text))).toBe(text);
});

test("inlineMarkdown styles bold, italic, struck-out text, code and links", () => {
  expect(inlineMarkdown("**bold** *it* _two words_ ~~gone~~ `a__b` [text](https://a.b)")).toEqual([
    { text: "bold", weight: "bold" },
    { text: " " },
    { text: "it", slant: "italic" },
    { text: " " },
    { text: "two words", slant: "italic" },
    { text: " " },
    { text: "gone", mark: "struck" },
    { text: " " },
    { text: "a__b", color: "code" },
    { text: " " },
    { text: "text", mark: "underline" },
    { text: " (https://a.b)", color: "quiet" },
  ]);
});

test("draws nested, numbered and task lists, and their continued text", () => {
  expect(shown("- one\n  - two\n    - three\n- [ ] open\n- [x] done\n1. first\n   goes on", 20)).toBe(
    "• one\n  ◦ two\n    ▪ three\n☐ open\n☑ done\n1. first\n   goes on",
  );
  expect(shown("- a long item that has to be wrapped", 20)).toBe("• a long item that\n  has to be wrapped");
});

const TABLE = `| File | Lines | What |
|:-----|------:|:----:|
| limit.ts | 20 | the \`limit\` |
| a \\| b | 3 | |`;

test("draws a table with aligned columns", () => {
  expect(shown(`${TABLE}\nAfter it.`)).toBe(
    [
      "File     │ Lines │   What",
      "─────────┼───────┼──────────",
      "limit.ts │    20 │ the limit",
      "a | b    │     3 │",
      "After it.",
    ].join("\n"),
  );
});

test("wraps the widest columns of a table that is too wide", () => {
  const long = "a description that is far too long for one row of a narrow screen";
  const lines = readWholeMarkdown(`|name|what|\n|-|-|\n|one|${long}|\n|two|${long}|`).flatMap((block) =>
    blockLines(block, 40),
  );
  expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(40);
  expect(lines.map(textOf).join(" ")).toContain("narrow");
});

test("draws a table with too many columns as a list of its rows", () => {
  const head = Array.from({ length: 9 }, (_, index) => `column${index}`);
  const table = `|${head.join("|")}|\n|${head.map(() => "-").join("|")}|\n|${head.map((_, index) => `value${index}`).join("|")}|`;
  expect(shown(table, 30).split("\n").slice(0, 2)).toEqual(["column0: value0", "column1: value1"]);
  const [block] = readWholeMarkdown(TABLE);
  expect(block?.kind === "table" && textOf(recordLines(block, 60)[0]!)).toBe("File: limit.ts");
});

test("holds a table back until it ends, and keeps a line with a bar that is not a table", () => {
  const first = readMarkdown("| a | b |", MARKDOWN_START);
  expect(first.blocks).toEqual([]);
  expect(endMarkdown(first.state)).toHaveLength(1);
  expect(shown("cat file | grep word\nnext")).toBe("cat file | grep word\nnext");
  expect(shown("a | b")).toBe("a | b");
});

test("ends a code block at its own fence, and finds no block boundary inside", () => {
  expect(shown("````md\n```ts\nx\n```\n````\nafter")).toBe("┌ md\n│ ```ts\n│ x\n│ ```\n└\nafter");
  const { state } = readMarkdown("```ts", MARKDOWN_START);
  expect(isBetweenBlocks("", state)).toBe(false);
  expect(isBetweenBlocks("", MARKDOWN_START)).toBe(true);
  expect(isBetweenBlocks("text", MARKDOWN_START)).toBe(false);
});

test("highlights code over several lines and keeps its text", () => {
  const first = highlight("/* a comment", { language: "ts" });
  const second = highlight('goes on */ const limit = "ten"; // 10', first.state);
  expect(first.line).toEqual([{ text: "/* a comment", color: "quiet" }]);
  expect(second.line[0]).toEqual({ text: "goes on */", color: "quiet" });
  expect(second.line).toContainEqual({ text: "const", color: "keyword" });
  expect(second.line).toContainEqual({ text: '"ten"', color: "string" });
  expect(textOf(second.line)).toBe('goes on */ const limit = "ten"; // 10');
  // The previous state is unchanged, because an unfinished line is drawn repeatedly.
  expect(highlight('goes on */ const limit = "ten"; // 10', first.state).line).toEqual(second.line);
  expect(highlight("echo $HOME # here", { language: "bash" }).line.at(-1)).toEqual({ text: "# here", color: "quiet" });
  expect(highlight("- removed", { language: "diff" }).line).toEqual([{ text: "- removed", color: "bad" }]);
  expect(highlight("no such language", { language: "klingon" }).line).toEqual([{ text: "no such language" }]);
});

test.each(["python", "go", "rust", "sql", "yaml", "toml", "html", "css", "java", "json", "dockerfile", "ruby"])(
  "highlighting as %s keeps the text",
  (language) => {
    let state = { language };
    for (const text of ['if x == "a\\" b": # y', "", "  <a href='b'>c</a> {d: 1}", "SELECT * FROM t -- z", "'''"]) {
      const next = highlight(text, state);
      expect(textOf(next.line)).toBe(text);
      state = next.state;
    }
  },
);

test("reads hostile lines in time that grows with their length", async () => {
  const lines = [
    `|a|\n${"\t".repeat(3_000)}-:${"\t".repeat(3_000)}\t-`,
    "> ".repeat(50_000),
    `${"`".repeat(20_000)} ${" ".repeat(20_000)}\``,
    `#${" ".repeat(40_000)}\u0001`,
    `- ${" ".repeat(40_000)}`,
  ];
  const usedMs = await processorMs(() => lines.forEach((line) => void readWholeMarkdown(line)));
  expect(usedMs).toBeLessThan(2_000);
});
