import { expect, test } from "vitest";
import { hearScript } from "./hear.ts";
import { type Ask, answer, summarize } from "./script.ts";

const PROMPT = [
  'Write it in these two sections. Begin each with a line of the form "## 1. Title", with its number.',
  "1. Customer: Who it is.\n2. Promised: What was promised.",
  "An <analysis> block, then a <summary> block, and nothing else.",
].join("\n\n");
const ask: Ask = {
  provider: "anthropic-messages",
  purpose: "answer",
  turn: 0,
  request: {},
  inputTokens: 100,
  tools: [],
  userText: PROMPT,
  toolResults: [],
};
const textOf = (summary: string, userText = PROMPT): string => {
  const [words] = hearScript(() => summarize(summary, "Hm."), { ...ask, userText }).words;
  return words?.kind === "text" ? words.text : "";
};

test("a request for a summary is recognized by its last words", () => {
  const purposes: string[] = [];
  const script = ({ purpose }: Ask) => {
    purposes.push(purpose);
    return answer("Yes.");
  };
  hearScript(script, ask);
  hearScript(script, { ...ask, userText: "Write a summary." });
  hearScript(script, { ...ask, purpose: "compaction" });
  expect(purposes).toEqual(["summary", "answer", "compaction"]);
});

test("a summary stands under the first heading that the prompt asks for", () => {
  expect(textOf("Ann waits.")).toBe(
    "<analysis>\nHm.\n</analysis>\n\n<summary>\n## 1. Customer\nAnn waits.\n## 2. Promised\nNone\n</summary>",
  );
});

test.each([
  ["has headings of its own", "## 1. Customer\nAnn.\n## 2. Promised\nA refund.", PROMPT],
  ["is asked for in prose", "Ann waits.", "Write prose in a <summary> block, and nothing else."],
  ["answers something else", "Ann waits.", "What is there?"],
])("a summary stays as it is where it %s", (_, summary, userText) => {
  expect(textOf(summary, userText)).toContain(`<summary>\n${summary}\n</summary>`);
});
