import { expect, test } from "vitest";
import { createAnthropic } from "../anthropic.ts";
import type { Block, Message } from "../request.ts";
import type { AppliedEdit } from "./edits.ts";

const betas = ["context-management-2025-06-27"];
/** So many rounds of one call to each of two tools, in turn; every result is 1,000 tokens and 4 for the block. */
const rounds = (count: number): Message[] => [
  { role: "user", content: "Go" },
  ...Array.from({ length: count }, (_, index): Message[] => [
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: `t${index}`, name: index % 2 === 0 ? "read" : "grep", input: { path: "a.ts" } },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${index}`, content: `${index}`.padEnd(3_500, "x") }],
    },
  ]).flat(),
];
const clear = (fields: object = {}) => ({
  context_management: { edits: [{ type: "clear_tool_uses_20250919", ...fields }] },
});
const always = { trigger: { type: "input_tokens", value: 1 } };
const request = (count: number, fields: object) => ({
  model: "claude-opus-5",
  max_tokens: 10,
  messages: rounds(count),
  ...fields,
});

function judge(count: number, fields: object) {
  const verdict = createAnthropic().judge(request(count, fields), { betas });
  if (verdict.kind === "refused") throw new Error(verdict.message);
  return verdict;
}
const applied = (count: number, fields: object): readonly AppliedEdit[] => judge(count, clear(fields)).appliedEdits;
const cleared = (count: number, fields: object) => applied(count, fields)[0]?.cleared_tool_uses ?? 0;
/** A result of 1,000 tokens becomes a placeholder of 10. */
const PER_RESULT = 990;

test("3.1 defaults: above 100,000 tokens, all but the last three results are cleared", () => {
  expect(applied(90, {})).toEqual([]);
  expect(applied(110, {})).toEqual([
    { type: "clear_tool_uses_20250919", cleared_tool_uses: 107, cleared_input_tokens: 107 * PER_RESULT },
  ]);
});

test("3.1 trigger by tokens and by tool uses", () => {
  const { inputTokens } = judge(5, {});
  expect(cleared(5, { trigger: { type: "input_tokens", value: inputTokens } })).toBe(2);
  expect(cleared(5, { trigger: { type: "input_tokens", value: inputTokens + 1 } })).toBe(0);
  expect(cleared(5, { trigger: { type: "tool_uses", value: 5 } })).toBe(2);
  expect(cleared(5, { trigger: { type: "tool_uses", value: 6 } })).toBe(0);
});

test("3.1 keep", () => {
  expect([0, 1, 5, 9].map((value) => cleared(5, { ...always, keep: { type: "tool_uses", value } }))).toEqual([
    5, 4, 0, 0,
  ]);
});

test("3.1 clear_at_least skips the edit where it cannot free that much", () => {
  const atLeast = (value: number) => cleared(5, { ...always, clear_at_least: { type: "input_tokens", value } });
  expect(atLeast(2 * PER_RESULT)).toBe(2);
  expect(atLeast(2 * PER_RESULT + 1)).toBe(0);
});

test("3.1 exclude_tools", () => {
  expect(cleared(10, { ...always, exclude_tools: ["grep"] })).toBe(4);
  expect(cleared(10, { ...always, exclude_tools: ["grep", "read"] })).toBe(0);
});

test("3.1 clear_tool_inputs: all of them or those of some tools", () => {
  const tokens = (clear_tool_inputs: unknown) => judge(10, clear({ ...always, clear_tool_inputs })).inputTokens;
  const perInput = Math.ceil('read{"path":"a.ts"}'.length / 3.5) - Math.ceil("read{}".length / 3.5);
  expect(tokens(false) - tokens(true)).toBe(7 * perInput);
  expect(tokens(false) - tokens(["read"])).toBe(4 * perInput);
  expect(tokens(null)).toBe(tokens(false));
});

test("3.1 the client's history is not touched, and count_tokens tells both sizes", () => {
  const { model, messages, context_management } = request(5, clear(always)) as Record<string, unknown>;
  const before = structuredClone(messages);
  const counted = createAnthropic().countTokens({ model, messages, context_management }, { betas });
  const { inputTokens } = judge(5, {});
  expect(counted).toEqual({ inputTokens: inputTokens - 2 * PER_RESULT, originalTokens: inputTokens });
  expect(messages).toEqual(before);
});

test("3.1 clearing breaks the cached prefix at the first cleared result, and the cleared prefix is stable then", () => {
  const anthropic = createAnthropic();
  const read = (count: number, fields: object) => {
    const automatic = { cache_control: { type: "ephemeral" }, ...fields };
    const verdict = anthropic.judge(request(count, automatic), { betas });
    if (verdict.kind === "refused") throw new Error(verdict.message);
    return verdict.cache.blocksRead;
  };
  const keep = { type: "tool_uses", value: 2 };
  expect(read(6, {})).toBe(0);
  expect(read(6, clear({ ...always, keep }))).toBe(0);
  expect(read(6, clear({ ...always, keep }))).toBe(13);
  // One more round and one more result to keep: the same ones are cleared.
  expect(read(7, clear({ ...always, keep: { type: "tool_uses", value: 3 } }))).toBe(13);
  // One more is cleared: what was cached behind it is of no use.
  expect(read(8, clear({ ...always, keep: { type: "tool_uses", value: 3 } }))).toBe(0);
});

test.each<[string, object, string]>([
  [
    "no such edit",
    { edits: [{ type: "forget" }] },
    "context_management.edits.0: Input tag 'forget' found using 'type' does not match any of the expected tags",
  ],
  [
    "an unknown field",
    { edits: [{ type: "clear_tool_uses_20250919", keeps: 1 }] },
    "context_management.edits.0.keeps: Extra inputs are not permitted",
  ],
  [
    "a trigger that is no amount",
    { edits: [{ type: "clear_tool_uses_20250919", trigger: 5 }] },
    "context_management.edits.0.trigger: Input should be a valid dictionary",
  ],
  [
    "a trigger of another kind",
    { edits: [{ type: "clear_tool_uses_20250919", trigger: { type: "turns", value: 1 } }] },
    "context_management.edits.0.trigger: Input tag 'turns' found using 'type' does not match any of the expected tags: 'input_tokens', 'tool_uses'",
  ],
  [
    "names that are none",
    { edits: [{ type: "clear_tool_uses_20250919", exclude_tools: 5 }] },
    "context_management.edits.0.exclude_tools: Input should be a valid list",
  ],
  [
    "compaction without its own beta",
    { edits: [{ type: "compact_20260112" }] },
    "context_management.edits.0: Input tag 'compact_20260112' found using 'type' does not match any of the expected tags",
  ],
  [
    "the thinking edit not first",
    { edits: [{ type: "clear_tool_uses_20250919" }, { type: "clear_thinking_20251015" }] },
    "context_management.edits: `clear_thinking_20251015` must be the first edit",
  ],
])("3.1 refused: %s", (_, context_management, message) => {
  expect(createAnthropic().judge(request(1, { context_management }), { betas })).toMatchObject({ message });
});

test("3.2 clear_thinking keeps the newest turns, one unless told, and stands before the other edit", () => {
  const anthropic = createAnthropic({
    script: ({ turn }) => ({
      words: [
        { kind: "thinking", text: `thought ${turn} `.repeat(50) },
        { kind: "tool-call", name: "read", input: { turn } },
      ],
    }),
  });
  const messages: Message[] = [{ role: "user", content: "Go" }];
  const fields = { model: "claude-opus-5-5", max_tokens: 5_000 };
  for (let round = 0; round < 5; round++) {
    const answered = anthropic.answer({ ...fields, messages });
    if (answered.kind === "refused") throw new Error(answered.message);
    const { content } = answered.response;
    const id = content.find(({ type }) => type === "tool_use")!["id"];
    messages.push({ role: "assistant", content });
    const result = { type: "tool_result", tool_use_id: id, content: "y".repeat(700) };
    // The last two rounds are one turn: between them the user has said nothing.
    messages.push({ role: "user", content: round === 3 ? [result] : [result, { type: "text", text: "And then?" }] });
  }
  const edit = (...edits: object[]) => {
    const verdict = anthropic.judge({ ...fields, messages, context_management: { edits } }, { betas });
    if (verdict.kind === "refused") throw new Error(verdict.message);
    return verdict;
  };
  const thinkingTokens = (messages[1]!.content as Block[])[0]!;
  const kept = (keep: unknown) =>
    edit({ type: "clear_thinking_20251015", keep }).appliedEdits[0]?.cleared_thinking_turns ?? 0;
  expect(thinkingTokens.type).toBe("thinking");
  expect(edit({ type: "clear_thinking_20251015" }).appliedEdits).toMatchObject([{ cleared_thinking_turns: 3 }]);
  expect([1, 2, 4, 9].map((value) => kept({ type: "thinking_turns", value }))).toEqual([3, 2, 0, 0]);
  expect([kept("all"), kept({ type: "all" })]).toEqual([0, 0]);
  const both = edit({ type: "clear_thinking_20251015" }, { type: "clear_tool_uses_20250919", ...always });
  expect(both.appliedEdits.map(({ type }) => type)).toEqual(["clear_thinking_20251015", "clear_tool_uses_20250919"]);
  const whole = edit().inputTokens;
  const freed = both.appliedEdits.reduce((sum, { cleared_input_tokens }) => sum + cleared_input_tokens, 0);
  expect(both.inputTokens).toBe(whole - freed);
});

test("3.2 clear_thinking is refused where thinking is off, by the request or because the model does not think unasked", () => {
  const edits = [{ type: "clear_thinking_20251015" }];
  const verdict = (fields: object) =>
    createAnthropic().judge(request(1, { context_management: { edits }, ...fields }), { betas });
  const message = "`clear_thinking_20251015` strategy requires `thinking` to be enabled";
  expect(verdict({ model: "claude-sonnet-4-6" })).toMatchObject({ message });
  expect(verdict({ model: "claude-sonnet-4-6", thinking: { type: "disabled" } })).toMatchObject({ message });
  expect(verdict({ model: "claude-sonnet-4-6", thinking: { type: "adaptive" } }).kind).toBe("accepted");
  expect(verdict({ model: "claude-opus-5-5" }).kind).toBe("accepted");
});

test("1.5 applied edits are in the answer; null where none were asked for; absent without betas", () => {
  const answered = (fields: object, call: object) => {
    const result = createAnthropic().answer(request(5, fields), call);
    if (result.kind === "refused") throw new Error(result.message);
    return result.response.context_management;
  };
  expect(answered(clear(always), { betas })).toEqual({
    applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 2, cleared_input_tokens: 2 * PER_RESULT }],
  });
  expect(answered({}, { betas })).toBeNull();
  expect(answered({}, {})).toBeUndefined();
});
