import type { ToolCall } from "palimpsest";
import { describe, expect, test } from "vitest";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { openCode, openCodePrune } from "./opencode.ts";
import { appendOnly, window167 } from "./plain-rules.ts";
import { qwenCode } from "./qwen-code.ts";
import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";
import { serverClearing, serverClearing20K } from "./server-clearing.ts";

const HEAD_TOKENS = 10_000;

/** One token for each character: sizes can be read off. */
function message(kind: RuleMessage["kind"], text: string, more: Partial<RuleMessage> = {}): RuleMessage {
  return { kind, text, tokens: text.length, blocks: 1, ...more };
}

let items = 0;
function round(name: string, path: string, tokens: number): RuleMessage[] {
  const call: ToolCall = { kind: "tool_call", id: `c${items}`, name, input: { file_path: path } };
  return [
    message("response", path, { item: items++, calls: [call], said: "" }),
    message("result", `${path} `.padEnd(tokens, "x"), { item: items++, call, status: "ok" }),
  ];
}
const reads = (count: number, tokens: number): RuleMessage[] =>
  Array.from({ length: count }, (_, index) => round("Read", `/repo/${index}.ts`, tokens)).flat();
const words = (text: string): RuleMessage => message("words", text, { item: items++ });

function situation(windowTokens: number, idleMs = 1_000) {
  const asked: { readonly messages: number; readonly prompt: string }[] = [];
  const now: RuleSituation = {
    nowMs: 0,
    idleMs,
    windowTokens,
    headTokens: HEAD_TOKENS,
    sizeOf: (messages) => messages.reduce((sum, { tokens }) => sum + tokens, HEAD_TOKENS),
    replaced: ({ item: _, ...rest }, text) => ({ ...rest, text, tokens: text.length }),
    made: (kind, text) => message(kind, text),
    summarize(messages, { prompt }) {
      asked.push({ messages: messages.length, prompt });
      return message("summary", "summary");
    },
    summarizeText: () => "summary",
    readFile: (path) => `content of ${path}`,
  };
  return { ...now, asked };
}

const kept = async (rule: Rule, messages: readonly RuleMessage[], now: RuleSituation) =>
  (await rule.begin().prepare(messages, now)).kept;
const whole = (messages: readonly RuleMessage[]): number =>
  messages.filter(({ kind, item }) => kind === "result" && item !== undefined).length;

test.each([appendOnly, window167, qwenCode, openCode, openCodePrune, codex, geminiCli, cline, serverClearing])(
  "$name leaves a small conversation as it is, object for object",
  async (rule) => {
    const messages = [words("Go."), ...reads(4, 2_000), words("And now?")];
    const now = situation(200_000);
    expect((await kept(rule, messages, now)).every((one, index) => one === messages[index])).toBe(true);
    expect(now.asked).toEqual([]);
  },
);

test("append-only compacts at the limit of the window, window167 wherever that is", async () => {
  const messages = [words("Go."), ...reads(40, 4_000)];
  const large = situation(1_000_000);
  expect(await kept(appendOnly, messages, large)).toBe(messages);
  const compacted = await kept(window167, messages, large);
  expect(compacted.map(({ kind }) => kind)).toEqual(["summary", "host", "host", "host", "host", "host"]);
  expect(large.asked).toEqual([{ messages: 81, prompt: "shared" }]);
});

describe("qwen-code", () => {
  test("clears all but five results after an hour", async () => {
    const messages = [words("Go."), ...reads(9, 1_000)];
    expect(whole(await kept(qwenCode, messages, situation(200_000, 3_600_000)))).toBe(5);
    expect(whole(await kept(qwenCode, messages, situation(200_000, 3_599_000)))).toBe(9);
  });
  test("clears down to 250,000 characters above 500,000", async () => {
    expect(whole(await kept(qwenCode, [words("Go."), ...reads(60, 10_000)], situation(1_000_000)))).toBe(25);
  });
});

test("opencode prunes at the beginning of a turn, behind two turns and 40,000 tokens", async () => {
  const messages = [words("One."), ...reads(20, 4_000), words("Two."), ...reads(1, 100), words("Three.")];
  expect(whole(await kept(openCodePrune, messages, situation(1_000_000)))).toBe(11);
  expect(whole(await kept(openCodePrune, messages.slice(0, -1), situation(1_000_000)))).toBe(21);
});

test("codex cuts results when they come in, and keeps what the user said", async () => {
  const now = situation(200_000);
  const [, result] = await kept(codex, round("exec_command", "/log", 30_000), now);
  expect(result!.tokens).toBeLessThan(10_100);
  const compacted = await kept(codex, [words("First."), ...reads(45, 4_000), words("Second.")], now);
  expect(compacted.map(({ kind }) => kind)).toEqual(["words", "summary", "words"]);
});

test("the provider leaves results out of what is sent, and the client keeps them", async () => {
  const messages = [words("Go."), ...reads(30, 4_000)];
  const { kept: all, sent } = await serverClearing.begin().prepare(messages, situation(1_000_000));
  expect(all).toBe(messages);
  expect(whole(sent!)).toBe(3);
  const batched = serverClearing20K.begin();
  await batched.prepare(messages, situation(1_000_000));
  const more = [...messages, ...reads(1, 4_000)];
  expect(whole((await batched.prepare(more, situation(1_000_000))).sent!)).toBe(4);
});
