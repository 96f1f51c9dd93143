import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSummary } from "./check.ts";
import { CODING_SECTIONS, numberSections, readSections } from "./forms.ts";

const ASKED = numberSections(CODING_SECTIONS);
const BODY = ASKED.map(({ number, title }) => `## ${number}. ${title}\nWhat there is to say about ${number}.`).join(
  "\n",
);

const textOf = (answer: string): string => {
  const reading = readSummary(answer);
  return reading.kind === "summary" ? reading.text : reading.reason;
};
const numbersOf = (answer: string): number[] => {
  const reading = readSummary(answer);
  return reading.kind === "summary" ? [...readSections(reading.text, ASKED).keys()] : [];
};

describe("what is the summary", () => {
  test.each<[string, string]>([
    ["as asked for", `<analysis>\nthoughts\n</analysis>\n<summary>\n${BODY}\n</summary>`],
    ["without a scratchpad", `<summary>${BODY}</summary>`],
    ["words around it", `Here it is:\n<summary>\n${BODY}\n</summary>\nShall I go on?`],
    [
      "several scratchpads",
      `<analysis>a</analysis>b<analysis>c</analysis><summary>${BODY}</summary><analysis>d</analysis>`,
    ],
    ["a scratchpad that is never closed", `<analysis>\nfirst, then\n<summary>\n${BODY}\n</summary>`],
    ["a scratchpad within a scratchpad", `<analysis>a<analysis>b</analysis>c</analysis><summary>${BODY}</summary>`],
    ["a scratchpad whose beginning stood in the request", `I think so.</think>\n<summary>${BODY}</summary>`],
    ["a scratchpad inside of it", `<summary>\n<analysis>a</analysis>\n${BODY}\n</summary>`],
    ["all of it inside of the scratchpad", `<analysis>a\n<summary>\n${BODY}\n</summary>\n</analysis>`],
    ["a draft in the scratchpad", `<analysis><summary>## 1. draft\nx</summary></analysis><summary>${BODY}</summary>`],
    ["nested tags", `<summary>\n<summary>\n${BODY}\n</summary>\n</summary>`],
    ["written twice, the first time badly", `<summary>## 1. Aim\nx</summary>\n<summary>${BODY}</summary>`],
    ["escaped tags", `&lt;analysis&gt;a&lt;/analysis&gt;\n&lt;summary&gt;\n${BODY}\n&lt;/summary&gt;`],
    ["shouted tags", `<ANALYSIS>a</ANALYSIS><Summary >${BODY}</SUMMARY>`],
    ["no tags at all", BODY],
    ["a title of its own", `<summary>\n**Summary:**\n\n${BODY}\n</summary>`],
    ["lines that end as elsewhere", `<summary>\r\n${BODY.replaceAll("\n", "\r\n")}\r\n</summary>`],
  ])("%s", (_, answer) => expect(textOf(answer)).toBe(`Summary:\n${BODY}`));

  test("one that is never closed is told apart", () => {
    expect(readSummary(`<summary>${BODY}`)).toMatchObject({ end: "cut", text: `Summary:\n${BODY}` });
    expect(readSummary(`<summary>${BODY}</summary>`)).toMatchObject({ end: "closed" });
    expect(readSummary(BODY)).toMatchObject({ end: "bare" });
  });

  test("tags that are spoken of are no tags", () => {
    const body = BODY.replace("about 3.", 'about `<analysis>` and "</summary>".');
    expect(textOf(`<summary>${body}</summary>`)).toBe(`Summary:\n${body}`);
  });

  test("runs of blank lines collapse", () =>
    expect(textOf("<summary>\n\n## 1. Aim\n\n \n\t\n\nA parser.\n\n\n</summary>")).toBe(
      "Summary:\n## 1. Aim\n\nA parser.",
    ));

  test.each<[string, string, string]>([
    ["nothing", "", "blank"],
    ["blank", " \n\t ", "blank"],
    ["an empty summary", "<analysis>a</analysis><summary> \n </summary>", "blank"],
    ["a scratchpad only", "<analysis>much to say</analysis>", "scratchpad-only"],
    ["a scratchpad only, never closed", "<analysis>much to say", "scratchpad-only"],
    ["a scratchpad that announces a summary", "<analysis>then comes <summary> at last</analysis>", "scratchpad-only"],
    ["chatter", "All done! What shall we do next?", "unmarked"],
    ["a list", "1. read the file\n2. change it\n3. run the tests", "unmarked"],
  ])("none: %s", (_, answer, reason) => expect(readSummary(answer)).toEqual({ kind: "none", reason }));

  test("any text is read without failing, and what is read has no tag of ours at its ends", () => {
    const piece = fc.constantFrom(
      "<analysis>",
      "</analysis>",
      "<summary>",
      "</summary>",
      "## 1. a\nb\n",
      "x",
      "\n",
      "&lt;summary&gt;",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }), (pieces) => {
        const reading = readSummary(pieces.join(""));
        if (reading.kind === "none") return;
        expect(reading.text.startsWith("Summary:\n")).toBe(true);
        expect(reading.text.isWellFormed()).toBe(true);
        if (reading.end !== "bare") expect(reading.text).not.toMatch(/(?<![`"'“‘])<\/?summary>/);
      }),
      { numRuns: 500 },
    );
  });
});

describe("sections", () => {
  const all = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const nine = (line: (number: number) => string): string => `<summary>${all.map(line).join("\n")}</summary>`;

  test.each<[string, string]>([
    ["bold", nine((number) => `**${number}. Titel**\nText`)],
    ["bold with a colon", nine((number) => `**${number}. Titel:** Text`)],
    ["in another language", nine((number) => `## ${number}. 主要な要求\n本文`)],
    ["with other signs", nine((number) => `${number}、要求\n本文`)],
    ["plain", nine((number) => `${number}) Title: text`)],
    ["without numbers", `<summary>${BODY.replace(/## \d\. /g, "### ")}</summary>`],
    ["none to tell", nine((number) => `${number}. None`)],
  ])("are known: %s", (_, answer) => expect(numbersOf(answer)).toEqual(all));

  test("a heading with nothing below it is none", () =>
    expect(numbersOf("<summary>\n## 1. Aim\n\n## 2. Concepts\nText\n## 3. Files:\n</summary>")).toEqual([2]));

  test("lists and code inside of a section are none", () => {
    const list = "1. one\n2. two\n3. three\n4. four";
    expect(numbersOf(`<summary>\n## 1. Aim\n${list}\n## 2. Concepts\n${list}\n</summary>`)).toEqual([1, 2]);
    const files = [1, 2, 3, 4, 5].map((number) => `### ${number}. src/${number}.ts\nread`).join("\n");
    expect(numbersOf(`<summary>\n## 1. Aim\nx\n## 3. Files\n${files}\n## 8. Now\nx\n</summary>`)).toEqual([1, 3, 8]);
    const code = "```py\n# 3. load\nx = 1\n# 4. save\n```";
    expect(numbersOf(`<summary>\n## 1. Aim\nx\n## 2. Concepts\n${code}\n</summary>`)).toEqual([1, 2]);
  });
});
