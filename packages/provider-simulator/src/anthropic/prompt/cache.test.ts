import { expect, test } from "vitest";
import { manualClock } from "../../clock.ts";
import { callTool, callTools, think } from "../../script.ts";
import { inputTokensOf } from "../../usage.ts";
import { createAnthropic } from "../anthropic.ts";
import { ANTHROPIC_MODELS } from "../models.ts";
import type { CallOptions } from "../request.ts";

const mark = (ttl?: "5m" | "1h") => ({ cache_control: { type: "ephemeral", ...(ttl ? { ttl } : {}) } });
const text = (words: string, fields: object = {}) => ({ type: "text", text: words, ...fields });
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
/** 3,500 characters: 1,000 tokens, and 4 for the block. */
const long = (seed = "a") => seed.repeat(3_500);
const tool = (fields: object = {}) => ({
  name: "read",
  description: "d".repeat(7_000),
  input_schema: { type: "object" },
  ...fields,
});

function world() {
  const clock = manualClock();
  const anthropic = createAnthropic({ clock });
  const judge = (fields: object, call: CallOptions = {}) => {
    const verdict = anthropic.judge({ model: "claude-opus-5", max_tokens: 10, ...fields }, call);
    if (verdict.kind === "refused") throw new Error(verdict.message);
    return verdict;
  };
  return { clock, judge, read: (fields: object, call: CallOptions = {}) => judge(fields, call).cache.blocksRead };
}

test("2 a mark writes the prefix up to it, and the same prefix is read back", () => {
  const { judge } = world();
  const request = { messages: [user(text(long(), mark()), text("question"))] };
  expect(judge(request).usage).toMatchObject({ cacheWriteTokens: 1_004, cacheReadTokens: 0, freshTokens: 7 });
  expect(judge(request).usage).toMatchObject({ cacheWriteTokens: 0, cacheReadTokens: 1_004, freshTokens: 7 });
});

test("2 the order is tools, system, messages", () => {
  const { judge } = world();
  const parts = {
    tools: [tool(mark())],
    system: [text(long("s"), mark())],
    messages: [user(text(long("m"), mark()))],
  };
  expect(judge(parts).cache).toMatchObject({ blocksTotal: 3, blocksRead: 0 });
  expect(judge({ ...parts, messages: [user(text(long("n"), mark()))] }).cache.blocksRead).toBe(2);
  expect(judge({ ...parts, system: [text(long("t"), mark())] }).cache.blocksRead).toBe(1);
  expect(judge({ ...parts, tools: [tool({ ...mark(), name: "write" })] }).cache.blocksRead).toBe(0);
});

test("2 marks are not part of what is compared, nor is the shape in which text is sent", () => {
  const { read } = world();
  read({ system: [text(long(), mark())], messages: [user(text("Hi"))] });
  expect(
    read({ system: long(), cache_control: { type: "ephemeral" }, messages: [{ role: "user", content: "Hi" }] }),
  ).toBe(1);
  expect(read({ system: long(), messages: [user(text("Hi", { citations: null, ...mark() }))] })).toBe(2);
});

test("2 a replayed call is the same with and without the fields that answers spell out", () => {
  const { read } = world();
  const rounds = (call: object, result: object) => ({
    ...mark(),
    messages: [
      user(text(long())),
      assistant({ type: "tool_use", id: "a", name: "read", input: { a: 1, b: 2 }, ...call }),
      user({ type: "tool_result", tool_use_id: "a", ...result }),
    ],
  });
  read(rounds({ caller: { type: "direct" } }, { content: "ok" }));
  expect(read(rounds({}, { content: [text("ok")], is_error: false }))).toBe(3);
  read(rounds({}, { content: [text("a|text:b")] }));
  expect(read(rounds({}, { content: [text("a"), text("b")] }))).toBe(0);
  expect(read(rounds({ input: { b: 2, a: 1 } }, { content: "ok" }))).toBe(0);
  expect(read(rounds({}, { content: "ok", is_error: true }))).toBe(0);
});

/** A conversation of single text blocks, the roles alternating, with a mark on the last. */
const growing = (blocks: number) =>
  Array.from({ length: blocks }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: [text(index === 0 ? long() : `${index}`, index === blocks - 1 ? mark() : {})],
  }));

test.each([
  [19, 15],
  [20, 15],
  [21, 0],
  [22, 0],
])("2 look-back of 20 blocks: a mark %i blocks later reads %i", (added, read) => {
  const anthropic = world();
  expect(anthropic.read({ messages: growing(15), model: "claude-opus-4-5" })).toBe(0);
  const model = { model: "claude-sonnet-4-5" };
  anthropic.read({ messages: growing(15), ...model });
  expect(anthropic.read({ messages: growing(15 + added), ...model })).toBe(read);
});

test("2 look-back: a second mark nearer to the last entry finds it", () => {
  const { read } = world();
  const model = "claude-sonnet-4-5";
  read({ model, messages: growing(15) });
  const messages = growing(45);
  messages[14] = { role: "user", content: [text("14", mark())] };
  expect(read({ model, messages })).toBe(15);
});

test.each([
  [10, 1],
  [11, 0],
])("2 look-back: parallel calls and their results count one by one: %i of them read %i", (calls, expected) => {
  const { read } = world();
  const ids = Array.from({ length: calls }, (_, index) => `call_${index}`);
  read({ messages: [user(text(long(), mark()))] });
  const messages = [
    user(text(long())),
    assistant(...ids.map((id) => ({ type: "tool_use", id, name: "read", input: {} }))),
    user(...ids.map((id, index) => ({ type: "tool_result", tool_use_id: id, ...(index === calls - 1 ? mark() : {}) }))),
  ];
  expect(read({ messages })).toBe(expected);
});

test("2 look-back: thinking does not count", () => {
  const calls = Array.from({ length: 10 }, (_, index) => callTool("read", { index }));
  const anthropic = createAnthropic({ script: () => think("Ten at once.", callTools(...calls)) });
  const request = { model: "claude-opus-5", max_tokens: 1_000, thinking: { type: "adaptive" }, ...mark() };
  const asked = anthropic.answer({ ...request, messages: [user(text(long()))] });
  if (asked.kind === "refused") throw new Error(asked.message);
  const { content } = asked.response;
  expect(content.map(({ type }) => type)).toEqual(["thinking", ...Array(10).fill("tool_use")]);
  const results = content
    .filter(({ type }) => type === "tool_use")
    .map(({ id }) => ({ type: "tool_result", tool_use_id: id }));
  const verdict = anthropic.judge({
    ...request,
    messages: [user(text(long())), { role: "assistant", content }, user(...results)],
  });
  expect(verdict).toMatchObject({ kind: "accepted", cache: { blocksRead: 1, blocksTotal: 22 } });
});

test("2 only what was written at a mark is found, not what merely stayed the same", () => {
  const { read } = world();
  read({ messages: [user(text(long()), text("at noon", mark()))] });
  expect(read({ messages: [user(text(long()), text("at one", mark()))] })).toBe(0);
});

test("2 the top-level mark stands on the last block and moves by itself", () => {
  const { judge } = world();
  const turn = (count: number) => ({ ...mark(), messages: growing(count).map((message) => ({ ...message })) });
  const bare = (count: number) => ({
    ...turn(count),
    messages: growing(count).map(({ role, content }) => ({ role, content: [text(content[0]!.text)] })),
  });
  expect(judge(bare(1)).cache).toMatchObject({ blocksRead: 0, tokensWritten: 1_004 });
  expect(judge(bare(3)).cache).toMatchObject({ blocksRead: 1, tokensRead: 1_004 });
  expect(judge(bare(5)).cache).toMatchObject({ blocksRead: 3 });
});

test("2 lifetime: a hit one millisecond before five minutes, gone at five minutes, and every read starts it anew", () => {
  const { clock, read } = world();
  const request = { messages: [user(text(long(), mark()))] };
  read(request);
  clock.advance(299_999);
  expect(read(request)).toBe(1);
  clock.advance(299_999);
  expect(read(request)).toBe(1);
  clock.advance(300_000);
  expect(read(request)).toBe(0);
});

test("2 lifetime: an hour where asked for", () => {
  const { clock, read } = world();
  const request = { messages: [user(text(long(), mark("1h")))] };
  read(request);
  clock.advance(3_599_999);
  expect(read(request)).toBe(1);
  clock.advance(3_600_000);
  expect(read(request)).toBe(0);
});

test("2 mixed lifetimes are billed by the highest hit, the last 1h mark after it, and the last mark", () => {
  const { clock, judge } = world();
  const request = (end: string) => ({
    system: [text(long("s"), mark("1h"))],
    messages: [user(text(long("m"), mark("1h")), text(long("n"), mark("5m")), text(end))],
  });
  expect(judge(request("?")).usage).toEqual({
    freshTokens: 5,
    cacheReadTokens: 0,
    longCacheWriteTokens: 2_008,
    cacheWriteTokens: 1_004,
    outputTokens: 0,
    thinkingTokens: 0,
  });
  clock.advance(300_000);
  expect(judge(request("!")).usage).toMatchObject({
    freshTokens: 5,
    cacheReadTokens: 2_008,
    longCacheWriteTokens: 0,
    cacheWriteTokens: 1_004,
  });
});

test.each(ANTHROPIC_MODELS.map(({ id, minimumCacheTokens }) => [id, minimumCacheTokens] as const))(
  "2 minimum size: %s caches from %i tokens on, below it nothing happens",
  (model, minimum) => {
    const { judge } = world();
    const sized = (tokens: number) => ({
      model,
      messages: [user(text("x".repeat((tokens - 4) * 3.5), mark()))],
    });
    expect(judge(sized(minimum - 2)).usage).toMatchObject({ cacheWriteTokens: 0, freshTokens: minimum - 2 });
    expect(judge(sized(minimum)).usage).toMatchObject({ cacheWriteTokens: minimum, freshTokens: 0 });
  },
);

const image = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };
const document = (enabled: boolean) => ({
  type: "document",
  source: { type: "text", media_type: "text/plain", data: "x" },
  citations: { enabled },
});
const everything = {
  model: "claude-opus-5",
  tools: [tool(mark())],
  system: [text(long("s"), mark())],
  messages: [user(text(long("m"), mark()), text("Go"))],
};
const said = (...content: object[]) => ({ messages: [user(text(long("m"), mark()), ...content)] });
const webSearch = { type: "web_search_20250305", name: "web_search" };

test.each<[string, object, object, number]>([
  ["nothing but what follows the mark", {}, said(text("Stay")), 3],
  ["model", {}, { model: "claude-opus-4-8" }, 0],
  ["tool definitions", {}, { tools: [tool({ ...mark(), description: "e".repeat(7_000) })] }, 0],
  ["speed", {}, { speed: "fast" }, 1],
  ["speed, spelled out as it was", {}, { speed: "standard" }, 3],
  ["web search, after the marked tool", {}, { tools: [tool(mark()), webSearch] }, 1],
  ["citations", said(document(false)), said(document(true)), 1],
  ["system text", {}, { system: [text(long("t"), mark())] }, 1],
  ["tool_choice", {}, { tool_choice: { type: "none" } }, 2],
  ["tool_choice, spelled out as it was", {}, { tool_choice: { type: "auto" } }, 3],
  ["images", {}, said(image), 2],
  ["thinking on or off", {}, { thinking: { type: "disabled" } }, 2],
  [
    "thinking budget",
    { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 9_000 },
    { thinking: { type: "enabled", budget_tokens: 2_000 }, max_tokens: 9_000 },
    2,
  ],
  ["effort", {}, { output_config: { effort: "low" } }, 2],
  ["effort, spelled out as it was", {}, { output_config: { effort: "high" } }, 3],
  ["message content", {}, { messages: [user(text(long("n"), mark()), text("Go"))] }, 2],
  ["who said it", {}, { messages: [assistant(text(long("m"), mark())), user(text("Go"))] }, 2],
])("2 what a change invalidates: %s", (_, before, change, blocksRead) => {
  const { read } = world();
  expect(read({ ...everything, ...before })).toBe(0);
  expect(read({ ...everything, ...before, ...change })).toBe(blocksRead);
});

test("2 deferred tools are not in the prefix", () => {
  const { judge } = world();
  const later = tool({ name: "later", defer_loading: true });
  expect(judge({ ...everything, tools: [tool(mark()), later] }).cache.blocksTotal).toBe(4);
  expect(judge(everything).cache.blocksRead).toBe(3);
});

test("2 accounts, workspaces and models share nothing", () => {
  const { read } = world();
  const request = { messages: [user(text(long(), mark()))] };
  read(request, { account: "a" });
  expect(read(request, { account: "b" })).toBe(0);
  expect(read(request, { account: "a", workspace: "w" })).toBe(0);
  expect(read({ ...request, model: "claude-opus-4-8" }, { account: "a" })).toBe(0);
  expect(read(request, { account: "a" })).toBe(1);
});

test("2 counting tokens neither reads nor writes, and counts what a request then uses", () => {
  const anthropic = createAnthropic();
  const { model, tools, system, messages } = everything;
  const counted = anthropic.countTokens({ model, tools, system, messages });
  const verdict = anthropic.judge({ ...everything, max_tokens: 10 });
  if (verdict.kind === "refused" || "kind" in counted) throw new Error("refused");
  expect(verdict.cache.blocksRead).toBe(0);
  expect(counted.inputTokens).toBe(inputTokensOf(verdict.usage));
  expect(counted.inputTokens).toBe(verdict.inputTokens);
});

test("2 a read starts the lifetime of every entry again that a mark found, not only of the longest", () => {
  const { clock, read } = world();
  const both = (words: string) => ({ messages: [user(text(long("a"), mark()), text(long(words), mark()))] });
  read(both("b"));
  clock.advance(4 * 60_000);
  expect(read(both("b"))).toBe(2);
  clock.advance(4 * 60_000);
  expect(read(both("c"))).toBe(1);
});

test("what was evicted is written anew", () => {
  const anthropic = createAnthropic();
  const request = { model: "claude-opus-5", max_tokens: 10, messages: [user(text(long(), mark()))] };
  const read = () => {
    const verdict = anthropic.judge(request);
    return verdict.kind === "refused" ? verdict.message : verdict.cache.tokensRead;
  };
  expect([read(), read()]).toEqual([0, 1_004]);
  anthropic.evict();
  expect(read()).toBe(0);
});
