import type { ToolCall } from "palimpsest";
import { describe, expect, test } from "vitest";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { openCode, openCodePrune } from "./opencode.ts";
import { appendOnly, plainRules } from "./plain-rules.ts";
import { qwenCode } from "./qwen-code.ts";
import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";
import { serverClearing, serverClearing20K, serverClearingUnmarked } from "./server-clearing.ts";

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

test.each([appendOnly, ...plainRules, qwenCode, openCode, openCodePrune, codex, geminiCli, cline, serverClearing])(
  "$name leaves a small conversation as it is, object for object",
  async (rule) => {
    const messages = [words("Go."), ...reads(4, 2_000), words("And now?")];
    const now = situation(200_000);
    expect((await kept(rule, messages, now)).every((one, index) => one === messages[index])).toBe(true);
    expect(now.asked).toEqual([]);
  },
);

test("append-only compacts at the limit of the window, plain compaction at its size or there", async () => {
  const messages = [words("Go."), ...reads(40, 4_000)];
  const large = situation(1_000_000);
  expect(await kept(appendOnly, messages, large)).toBe(messages);
  const plain = (name: string) => plainRules.find((rule) => rule.name === name)!;
  const compacted = await kept(plain("plain-167k"), messages, large);
  expect(compacted.map(({ kind }) => kind)).toEqual(["summary", "host", "host", "host", "host", "host"]);
  expect(large.asked).toEqual([{ messages: 81, prompt: "shared" }]);
  expect(await kept(plain("plain-167k"), messages.slice(0, 41), large)).toHaveLength(41);
  expect(await kept(plain("plain-80k"), messages.slice(0, 41), large)).toHaveLength(6);
  expect(await kept(plain("plain-167k"), messages.slice(0, 41), situation(120_000))).toHaveLength(6);
});

test("plain compaction shows files again that were read through the shell", async () => {
  const call: ToolCall = { kind: "tool_call", id: "s", name: "shell", input: { command: "sed -n '1,80p' src/one.ts" } };
  const read = message("result", "x".repeat(90_000), { item: items++, call, status: "ok" });
  const compacted = await kept(plainRules[0]!, [words("Go."), read], situation(200_000));
  expect(compacted.map(({ text }) => text)).toEqual(["summary", "src/one.ts\ncontent of src/one.ts"]);
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
  const [, short] = await kept(codex, round("exec_command", "/log", 39_000), now);
  expect(short!.tokens).toBe(39_000);
  const [, result] = await kept(codex, round("exec_command", "/log", 90_000), now);
  expect(result!.tokens).toBeLessThan(40_100);
  const compacted = await kept(codex, [words("First."), ...reads(45, 4_000), words("Second.")], now);
  expect(compacted.map(({ kind }) => kind)).toEqual(["words", "summary", "words"]);
});

describe("gemini-cli", () => {
  test("summarizes whole turns: behind 70%, or up to the last message of the user", async () => {
    const turn = () => [words("Next."), ...reads(10, 2_500)];
    const now = situation(200_000);
    const compressed = await kept(geminiCli, [...turn(), ...turn(), ...turn(), ...turn()], now);
    expect(compressed.map(({ kind }) => kind).slice(0, 2)).toEqual(["summary", "words"]);
    expect(now.asked).toEqual([{ messages: 63, prompt: "fresh" }]);
    const inTurn = situation(200_000);
    await kept(geminiCli, [...turn(), words("Go on."), ...reads(30, 2_500)], inTurn);
    expect(inTurn.asked).toEqual([{ messages: 21, prompt: "fresh" }]);
    await kept(geminiCli, [message("summary", "summary"), words("Go on."), ...reads(40, 2_500)], inTurn);
    expect(inTurn.asked).toHaveLength(1);
  });
  test("cannot summarize a single turn", async () => {
    const now = situation(200_000);
    await kept(geminiCli, [words("Go."), ...reads(40, 2_500)], now);
    expect(now.asked).toEqual([]);
  });
  test("gives up summaries once one was longer than what it replaced", async () => {
    const now = {
      ...situation(200_000),
      summarize: (messages: readonly RuleMessage[]) => {
        now.asked.push({ messages: messages.length, prompt: "fresh" });
        return message("summary", "s".repeat(300_000));
      },
    };
    const rule = geminiCli.begin();
    const messages = [words("Go."), ...reads(3, 2_500), words("On."), ...reads(40, 2_500)];
    await rule.prepare(messages, now);
    await rule.prepare(messages, now);
    expect(now.asked).toHaveLength(1);
  });
});

test("the provider leaves results out of what is sent, and the client keeps them", async () => {
  const messages = [words("Go."), ...reads(30, 4_000)];
  const { kept: all, sent } = await serverClearing.begin().prepare(messages, situation(1_000_000));
  expect(all).toBe(messages);
  expect(whole(sent!)).toBe(3);
  // A mark before the oldest result that stays.
  const { stableMessages } = await serverClearing.begin().prepare(messages, situation(1_000_000));
  expect(sent!.slice(stableMessages).filter(({ kind }) => kind === "result")).toHaveLength(3);
  expect(await serverClearingUnmarked.begin().prepare(messages, situation(1_000_000))).not.toHaveProperty(
    "stableMessages",
  );
  const batched = serverClearing20K.begin();
  await batched.prepare(messages, situation(1_000_000));
  const more = [...messages, ...reads(1, 4_000)];
  expect(whole((await batched.prepare(more, situation(1_000_000))).sent!)).toBe(4);
});
