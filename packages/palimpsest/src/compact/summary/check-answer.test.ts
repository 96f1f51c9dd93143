import { describe, expect, test } from "vitest";
import type { SummaryAnswer } from "./calls.ts";
import { type CheckedSummary, checkAnswer } from "./check.ts";
import { CODING_SECTIONS, numberSections, sections, summaryPrompt } from "./forms.ts";

const SAID = [
  "The user wants a parser for invoices that never loses a line and reports what it could not read.",
  "A streaming tokenizer, a table of column rules, money kept as whole cents in a bigint.",
  "`src/parse.ts` holds the parser; `src/money.ts` was created for the cents.",
  "TypeError: Cannot mix BigInt and other types; cured by converting at the border.",
  "Regular expressions were given up, since quoted separators broke them.",
  "No floats for money, and no new packages.",
  "Write the tests for credit notes.",
  "Was about to run the tests of src/parse.ts after the last edit.",
  'Run them: "then run everything once more", the user wrote.',
];
const section = (number: number): string =>
  `## ${number}. ${numberSections(CODING_SECTIONS)[number - 1]!.title}\n${SAID[number - 1]}`;
const bodyOf = (numbers: readonly number[]): string => numbers.map(section).join("\n\n");
const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const GOOD = `<analysis>thoughts</analysis>\n<summary>\n${bodyOf(ALL)}\n</summary>`;

const CONVERSATION = Array.from(
  { length: 200 },
  (_, index) =>
    `Round ${index}: the assistant read part ${index} of the ledger and found ${index * 7} lines that balance.`,
).join("\n");

const PROMPT = summaryPrompt({
  variant: "full",
  form: sections(CODING_SECTIONS).prompt({ part: "all", instructions: "", sourceTokens: 0, isKnown: () => true }),
  instructions: "",
});
const OPTIONS = {
  sourceTokens: 50_000,
  maximumTokens: 4_000,
  countTokens: (text: string) => Math.ceil(text.length / 4),
  request: `${PROMPT}\n${CONVERSATION}`,
};
const check = (text: string, more: Partial<SummaryAnswer> = {}, sourceTokens = 50_000): CheckedSummary =>
  checkAnswer({ text, stop: "end", calls: 0, ...more }, { ...OPTIONS, sourceTokens });

describe("a good summary", () => {
  test("is usable", () =>
    expect(check(GOOD)).toEqual({ kind: "usable", text: `Summary:\n${bodyOf(ALL)}`, end: "whole" }));

  test.each<[string, string, Partial<SummaryAnswer>]>([
    ["that speaks of errors", GOOD.replace("<analysis>", "Error: none.\n<analysis>"), {}],
    ["beside a call", GOOD, { stop: "tools", calls: 1 }],
    ["whose end tag was forgotten", GOOD.replace("</summary>", ""), {}],
    ["cut off behind its end", `${GOOD}\nAnd now I wi`, { stop: "length" }],
    ["with an unknown stop reason, but closed", GOOD, { stop: "other" }],
    ["with escaped tags", GOOD.replaceAll("<", "&lt;").replaceAll(">", "&gt;"), {}],
    ["in prose", `<summary>${SAID.join(" ")}</summary>`, {}],
    ["in prose without tags", SAID.join(" "), {}],
    ["in one sentence", "<summary>The user wants a parser for invoices.</summary>", {}],
  ])("may be one %s", (_, text, more) => expect(check(text, more)).toMatchObject({ kind: "usable", end: "whole" }));

  test.each([
    ["at the output limit", "length"],
    ["at the end of the window", "window"],
    ["by a call", "tools"],
  ] as const)("that was cut off %s loses the section that was cut", (_, stop) => {
    const text = `<summary>${bodyOf([1, 2, 3]).slice(0, -20)}`;
    expect(check(text, { stop, calls: 1 })).toEqual({
      kind: "usable",
      text: `Summary:\n${bodyOf([1, 2]).replace("\n\n", "\n")}`,
      end: "cut",
    });
  });

  test("in prose that was cut off stays as it is", () => {
    expect(check(`<summary>${SAID.join(" ")}`, { stop: "length" })).toMatchObject({ kind: "usable", end: "cut" });
  });
});

describe("refused", () => {
  const grown = GOOD.replace("</summary>", `${"and then it went on and on ".repeat(4_000)}\n</summary>`);
  const empty = `<summary>\n${ALL.map((number) => `## ${number}. Titel\nNone`).join("\n")}\n</summary>`;
  const echoed = `<summary>\n${ALL.map(
    (number) =>
      `## ${number}. Part\n${CONVERSATION.split("\n")
        .slice(number * 10, number * 10 + 5)
        .join("\n")}`,
  ).join("\n")}\n</summary>`;

  test.each<[string, string, string, Partial<SummaryAnswer>?]>([
    ["empty", "", "no text"],
    ["blank", "\n \t\n", "no text"],
    ["an empty summary", "<analysis>x</analysis><summary>\n</summary>", "blank"],
    ["a tool call only", "", "2 tool calls", { stop: "tools", calls: 2 }],
    ["a scratchpad only", "<analysis>The user wants much.</analysis>", "scratchpad-only"],
    ["a scratchpad cut off", "<analysis>The user wants mu", "scratchpad-only", { stop: "length" }],
    ["an error text", "Error generating summary: net::ERR_CONNECTION_RESET", "error-text"],
    ["an error text in tags", "<summary>API Error: 529 overloaded</summary>", "error-text"],
    ["a status line", "503 Service Unavailable", "error-text"],
    ["an error body", '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "error-text"],
    ["a page of a gateway", "<html><head><title>502 Bad Gateway</title></head></html>", "error-text"],
    ["the stand-in of some program", "(no summary produced)", "error-text"],
    ["nothing to summarise, it says", "(No conversation to summarize: the conversation is empty.)", "error-text"],
    ["a refusal", "I'm sorry, but I can't help with that.", "refusal"],
    ["a refusal in tags", "<summary>I cannot summarise this conversation.</summary>", "refusal"],
    ["a refusal by stop reason", GOOD, "provider refused", { stop: "refused" }],
    ["the conversation", CONVERSATION, "too large"],
    ["much of the conversation in tags", `<summary>${CONVERSATION.slice(0, 9_000)}</summary>`, "echo"],
    ["the conversation under headings", echoed, "echo"],
    ["the prompt", PROMPT, "echo"],
    ["the prompt's sections", PROMPT.split("\n\n")[5]!, "echo"],
    ["the last reply instead", "Done: all tests pass. Shall I open a pull request?", "unmarked"],
    ["ended for no known reason", `<summary>${bodyOf(ALL)}`, "was not closed", { stop: "other" }],
    ["paused", `<summary>${bodyOf(ALL)}`, "was not closed", { stop: "paused" }],
    ["headings over nothing", empty, "nothing below its headings"],
    ["more than there was", grown, "too large"],
  ])("%s", (_, text, why, more) =>
    expect(check(text, more)).toMatchObject({ kind: "refused", why: expect.stringContaining(why) }),
  );

  test("a text without tags beside tool calls", () => {
    expect(check(SAID.join(" "), { stop: "tools", calls: 1 })).toMatchObject({ kind: "refused" });
  });

  test("what is hardly smaller than its source, with the numbers", () => {
    const tokens = OPTIONS.countTokens(`Summary:\n${bodyOf(ALL)}`);
    expect(check(GOOD, {}, tokens + 10)).toEqual({
      kind: "refused",
      why: `too large: ${tokens} tokens, at most ${Math.floor((tokens + 10) * 0.7)} for ${tokens + 10} tokens of source`,
    });
    expect(check(GOOD, {}, tokens * 2).kind).toBe("usable");
  });
});
