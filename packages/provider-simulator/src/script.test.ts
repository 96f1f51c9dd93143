import { expect, test } from "vitest";
import { misbehave } from "./misbehave.ts";
import { type Ask, answer, callTool, callTools, echo, inOrder, summarize, think } from "./script.ts";

const ask: Ask = {
  provider: "anthropic-messages",
  purpose: "answer",
  turn: 0,
  request: {},
  inputTokens: 100,
  tools: ["grep"],
  userText: "Hello",
  toolResults: [],
};

test("builders say what they are asked to say", () => {
  expect(think("Hm.", answer("Yes.")).words).toEqual([
    { kind: "thinking", text: "Hm." },
    { kind: "text", text: "Yes." },
  ]);
  expect(callTools(callTool("a", 1), callTool("b", 2)).words).toHaveLength(2);
  expect(summarize("It is done.").words[0]).toMatchObject({
    text: expect.stringMatching(/<summary>\nIt is done\.\n<\/summary>$/),
  });
});

test("replies come in order, then the rest answers", () => {
  const script = inOrder([answer("one"), ({ userText }) => answer(userText)], () => answer("rest"));
  const said = [0, 1, 2, 3].map((turn) => script({ ...ask, turn }).words[0]);
  expect(said).toEqual(["one", "Hello", "rest", "rest"].map((text) => ({ kind: "text", text })));
});

test("the default mind repeats the question, and sums up when asked to", () => {
  expect(echo(ask)).toEqual(answer("You said: Hello"));
  expect(echo({ ...ask, purpose: "compaction" })).toEqual(answer("Summary of 100 tokens."));
});

test("misbehaviour that calls tools calls one that exists, unless that is the point", () => {
  expect(misbehave.callAToolInstead(ask).words).toMatchObject([{ name: "grep" }]);
  expect(misbehave.repeatToolId(ask).words).toMatchObject([{ id: "call_0" }, { id: "call_0" }]);
  expect(() => JSON.parse((misbehave.garbleToolInput(ask).words[0] as { rawInput: string }).rawInput)).toThrow();
  expect(ask.tools).not.toContain((misbehave.callUnknownTool().words[0] as { name: string }).name);
});

test("a summary that says more than was asked is longer than the prompt by any usual count", () => {
  const [words] = misbehave.sayMoreThanWasAsked(ask).words;
  expect((words as { text: string }).text.length / 6).toBeGreaterThan(ask.inputTokens);
});
