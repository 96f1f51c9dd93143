import { describe, expect, test } from "vitest";
import { type CheckedSummary, checkSummary, type SummaryAnswer, type SummaryToCheck } from "./check.ts";
import { joinRepair, UNVERIFIED } from "./passes.ts";
import { summaryPrompt } from "./prompt.ts";
import { summarySections } from "./sections.ts";

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
  `## ${number}. ${summarySections("full")[number - 1]!.title}\n${SAID[number - 1]}`;
const bodyOf = (numbers: readonly number[]): string => numbers.map(section).join("\n\n");
const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const GOOD = `<analysis>thoughts</analysis>\n<summary>\n${bodyOf(ALL)}\n</summary>`;

const CONVERSATION = Array.from(
  { length: 200 },
  (_, index) =>
    `Round ${index}: the assistant read part ${index} of the ledger and found ${index * 7} lines that balance.`,
).join("\n");

const LIMITS = {
  isKnownPath: (path: string) => ["src/parse.ts", "src/money.ts"].includes(path),
  sourceTokens: 50_000,
  maximumTokens: 4_000,
  countTokens: (text: string) => Math.ceil(text.length / 4),
};
const check = (text: string, more: Partial<SummaryAnswer & SummaryToCheck> = {}): CheckedSummary => {
  const { stop = "end", calls = 0, ...limits } = more;
  return checkSummary({ ...LIMITS, echoOf: CONVERSATION, answer: { text, stop, calls }, ...limits });
};

describe("a good summary", () => {
  test("is fine", () => expect(check(GOOD)).toEqual({ kind: "fine", text: `Summary:\n${bodyOf(ALL)}` }));

  test.each<[string, string, Partial<SummaryAnswer>]>([
    ["that speaks of errors", GOOD.replace("<analysis>", "Error: none.\n<analysis>"), {}],
    ["beside a call", GOOD, { stop: "tools", calls: 1 }],
    ["whose end tag was forgotten", GOOD.replace("</summary>", ""), {}],
    ["cut off behind its end", `${GOOD}\nAnd now I wi`, { stop: "length" }],
    ["with an unknown stop reason, but closed", GOOD, { stop: "other" }],
    ["with headings in another language", GOOD.replace(/(## \d\.) .*/g, "$1 Überschrift"), {}],
    ["with escaped tags", GOOD.replaceAll("<", "&lt;").replaceAll(">", "&gt;"), {}],
  ])("also %s", (_, text, more) => expect(check(text, more).kind).toBe("fine"));
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
    ["empty", "", "blank"],
    ["blank", "\n \t\n", "blank"],
    ["an empty summary", "<analysis>x</analysis><summary>\n</summary>", "blank"],
    ["a tool call only", "", "tool-call-only", { stop: "tools", calls: 2 }],
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
    ["a refusal by stop reason", GOOD, "refusal", { stop: "refused" }],
    ["the conversation", CONVERSATION, "echo"],
    ["the conversation in tags", `<summary>${CONVERSATION}</summary>`, "echo"],
    ["the conversation under headings", echoed, "echo"],
    ["the prompt", summaryPrompt({ variant: "full" }), "echo"],
    ["the prompt's sections", summaryPrompt({ variant: "full" }).split("\n\n")[4]!, "echo"],
    ["the last reply instead", "Done: all tests pass. Shall I open a pull request?", "unmarked"],
    ["too few sections", `<summary>${bodyOf([1, 2, 3, 4])}</summary>`, "sections-missing"],
    ["cut off early", `<summary>${bodyOf([1, 2, 3, 4])}`, "stopped", { stop: "length" }],
    ["cut off in the fifth", `<summary>${bodyOf([1, 2, 3, 4, 5])}`, "sections-missing", { stop: "length" }],
    ["ended for no known reason", `<summary>${bodyOf(ALL)}`, "stopped", { stop: "other" }],
    ["paused", `<summary>${bodyOf(ALL)}`, "stopped", { stop: "paused" }],
    ["headings over nothing", empty, "too-small"],
    ["more than there was", grown, "too-large"],
  ])("%s", (_, text, reason, more) => expect(check(text, more)).toMatchObject({ kind: "refused", reason }));

  test("what is hardly smaller than its source, with the numbers", () => {
    const tokens = LIMITS.countTokens(`Summary:\n${bodyOf(ALL)}`);
    expect(check(GOOD, { sourceTokens: tokens + 10 })).toMatchObject({
      reason: "too-large",
      detail: `${tokens} tokens, at most ${Math.floor((tokens + 10) * 0.7)} for ${tokens + 10} tokens of source`,
    });
    expect(check(GOOD, { sourceTokens: tokens * 2 }).kind).toBe("fine");
  });
});

function repairable(text: string, more: Partial<SummaryAnswer> = {}) {
  const checked = check(text, more);
  if (checked.kind !== "repairable") throw new Error(`expected repairable, got ${JSON.stringify(checked)}`);
  return checked;
}
const join = (checked: ReturnType<typeof repairable>, text: string | undefined, more: Partial<SummaryAnswer> = {}) =>
  joinRepair({
    ...LIMITS,
    repairable: checked,
    answer: text === undefined ? undefined : { text, stop: "end", calls: 0, ...more },
  });

describe("repaired", () => {
  test("sections that are missing", () => {
    const checked = repairable(`<summary>${bodyOf([1, 2, 3, 5, 6, 8, 9])}</summary>`);
    expect(checked.missing).toEqual([
      { kind: "section", number: 4 },
      { kind: "section", number: 7 },
    ]);
    expect(checked.prompt).toContain("4. Errors and fixes:");
    const fine = { kind: "fine", text: `Summary:\n${bodyOf(ALL)}` };
    expect(join(checked, `<summary>\n${bodyOf([4, 7])}\n</summary>`)).toEqual(fine);
    expect(join(checked, `<analysis>hm</analysis>${bodyOf([4, 7])}`)).toEqual(fine);
  });

  test.each([
    ["at the output limit", "length"],
    ["at the end of the window", "window"],
    ["by a call", "tools"],
  ] as const)("what was cut off %s: the last section is asked for again", (_, stop) => {
    const checked = repairable(`<summary>${bodyOf([1, 2, 3, 4, 5, 6, 7, 8]).slice(0, -20)}`, { stop, calls: 1 });
    expect(checked.missing).toEqual([
      { kind: "section", number: 8 },
      { kind: "section", number: 9 },
    ]);
    expect(join(checked, `<summary>${bodyOf([8, 9])}</summary>`)).toEqual({
      kind: "fine",
      text: `Summary:\n${bodyOf(ALL)}`,
    });
  });

  test("only what was asked for is taken", () => {
    const checked = repairable(`<summary>${bodyOf([1, 2, 3, 4, 5, 6, 7, 8])}</summary>`);
    const answer = `<summary>## 1. Aim\nSomething else entirely.\n${section(9)}</summary>`;
    expect(join(checked, answer)).toEqual({ kind: "fine", text: `Summary:\n${bodyOf(ALL)}` });
  });

  test.each<[string, string | undefined, Partial<SummaryAnswer>?]>([
    ["no answer", undefined],
    ["a blank one", " "],
    ["an error", "Error: overloaded"],
    ["another section", section(1)],
    ["cut off", section(9), { stop: "length" }],
  ])("or refused, if a section is still missing: %s", (_, answer, more) => {
    const checked = repairable(`<summary>${bodyOf([1, 2, 3, 4, 5, 6, 7, 8])}</summary>`);
    expect(join(checked, answer, more)).toMatchObject({ kind: "refused", reason: "sections-missing" });
  });

  test("or refused, if it has grown too large", () => {
    const checked = repairable(`<summary>${bodyOf([1, 2, 3, 4, 5, 6, 7, 8])}</summary>`);
    expect(join(checked, section(9) + " on and on".repeat(2_000))).toMatchObject({ reason: "too-large" });
  });
});

describe("paths that do not occur in the log", () => {
  const named = GOOD.replace("Was about to run", "Changed src/prase.ts and lib/made-up.ts. Was about to run");

  test("are asked about, corrected where the log knows the right one, and else marked", () => {
    const checked = repairable(named);
    expect(checked.missing).toEqual([
      { kind: "path", path: "src/prase.ts" },
      { kind: "path", path: "lib/made-up.ts" },
    ]);
    const joined = join(checked, "path: src/prase.ts => src/parse.ts\n- path: `lib/made-up.ts` => `lib/invented.ts`");
    expect(joined).toMatchObject({ kind: "fine" });
    expect(joined.kind === "fine" && joined.text).toContain(
      `Changed src/parse.ts and lib/made-up.ts${UNVERIFIED}. Was about`,
    );
  });

  test("need no answer", () => {
    const joined = join(repairable(named), undefined);
    expect(joined.kind === "fine" && joined.text).toContain(`Changed src/prase.ts${UNVERIFIED} and`);
  });

  test("in what the repair round brought are marked too", () => {
    const checked = repairable(`<summary>${bodyOf([1, 2, 3, 4, 5, 6, 7, 8])}</summary>`);
    const joined = join(checked, `## 9. Next\nOpen src/new/other.ts now.`);
    expect(joined.kind === "fine" && joined.text).toContain(`Open src/new/other.ts${UNVERIFIED} now.`);
  });
});
