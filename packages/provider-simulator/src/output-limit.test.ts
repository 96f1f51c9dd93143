import fc from "fast-check";
import { expect, test } from "vitest";
import { createAnthropic } from "./anthropic/anthropic.ts";
import { createOpenAiChat } from "./openai/chat/chat.ts";
import { createOpenAiResponses } from "./openai/responses/responses.ts";
import { answer, type Reply, type Words } from "./script.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { virtualTokenizer } from "./virtual-tokenizer.ts";

const text = fc
  .array(fc.constantFrom("a", "word ", "42", " ", "\n\n", "中", "😀", "é"), { minLength: 1, maxLength: 40 })
  .chain((pieces) => fc.integer({ min: 1, max: 30 }).map((times) => pieces.join("").repeat(times)));
const words: fc.Arbitrary<Words> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("text" as const), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("thinking" as const), text }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("tool-call" as const), name: fc.constant("read"), input: text }),
  },
);
const replies: fc.Arbitrary<Reply> = fc.record({ words: fc.array(words, { maxLength: 4 }) });

interface Told {
  readonly texts: readonly string[];
  readonly outputTokens: number;
}

interface Setting {
  readonly tokenizer: Tokenizer;
  readonly reply: Reply;
  readonly maxTokens: number;
}

function answered<Response>(result: { kind: "answered"; response: Response } | { kind: "refused"; message: string }) {
  if (result.kind === "refused") throw new Error(result.message);
  return result.response;
}

const FACES: Record<string, (setting: Setting) => Told> = {
  "Anthropic messages": ({ tokenizer, reply, maxTokens }) => {
    const { content, usage } = answered(
      createAnthropic({ tokenizer, script: () => reply }).answer({
        model: "claude-opus-5-5",
        max_tokens: maxTokens,
        messages: [{ role: "user", content: "Go" }],
      }),
    );
    const texts = content.flatMap((block) => (block.type === "text" ? [block["text"] as string] : []));
    return { texts, outputTokens: usage.output_tokens };
  },
  "Anthropic compaction on demand": ({ tokenizer, reply, maxTokens }) => {
    const { content, usage } = answered(
      createAnthropic({ tokenizer, script: () => reply }).answer(
        {
          model: "claude-opus-5-5",
          max_tokens: maxTokens,
          messages: [{ role: "user", content: "Go" }],
          compaction: { type: "summarize" },
        },
        { betas: ["compact-2026-09-04"] },
      ),
    );
    return {
      texts: [(content[0]!["content"] as string | null) ?? ""],
      outputTokens: usage.iterations[0]!.output_tokens,
    };
  },
  "OpenAI Responses": ({ tokenizer, reply, maxTokens }) => {
    const { output, usage } = answered(
      createOpenAiResponses({ tokenizer, script: () => reply }).answer({
        model: "gpt-6.1-sol",
        max_output_tokens: Math.max(16, maxTokens),
        input: "Go",
      }),
    );
    const texts = output.flatMap((item) =>
      item.type === "message" ? item.content.map((part) => (part.type === "output_text" ? part.text : "")) : [],
    );
    return { texts, outputTokens: (usage as { output_tokens: number }).output_tokens };
  },
  "OpenAI Chat Completions": ({ tokenizer, reply, maxTokens }) => {
    const { choices, usage } = answered(
      createOpenAiChat({ tokenizer, script: () => reply }).answer({
        model: "gpt-6.1-sol",
        max_completion_tokens: maxTokens,
        messages: [{ role: "user", content: "Go" }],
      }),
    );
    return {
      texts: [choices[0]!.message.content ?? ""],
      outputTokens: (usage as { completion_tokens: number }).completion_tokens,
    };
  },
};

test.each(Object.entries(FACES))(
  "%s: what is said counts no more than is billed, nor that than the limit",
  (_, face) => {
    fc.assert(
      fc.property(fc.integer(), replies, fc.integer({ min: 16, max: 400 }), (seed, reply, maxTokens) => {
        const tokenizer = virtualTokenizer(seed);
        const { texts, outputTokens } = face({ tokenizer, reply, maxTokens });
        const saidTokens = texts.reduce((sum, each) => sum + tokenizer.countText(each), 0);
        expect(saidTokens).toBeLessThanOrEqual(outputTokens);
        expect(outputTokens).toBeLessThanOrEqual(maxTokens);
      }),
      { numRuns: 60 },
    );
  },
);

test("the case that was found: half of the characters are not half of the tokens", () => {
  const tokenizer = virtualTokenizer(7);
  const reply = answer("中".repeat(2_000) + "a".repeat(2_000));
  for (const face of Object.values(FACES)) {
    const { texts, outputTokens } = face({ tokenizer, reply, maxTokens: 1_000 });
    expect(tokenizer.countText(texts.join(""))).toBeLessThanOrEqual(outputTokens);
    expect(outputTokens).toBeLessThanOrEqual(1_000);
    expect(outputTokens).toBeGreaterThan(990);
  }
});

test("a compaction at the threshold keeps to max_tokens, and the window", () => {
  const small = { betas: ["compact-2026-01-12"] };
  const trigger = { type: "input_tokens", value: 50_000 };
  const request = (characters: number) => ({
    model: "claude-opus-5-5",
    max_tokens: 100,
    messages: [{ role: "user", content: "x".repeat(characters) }],
    context_management: { edits: [{ type: "compact_20260112", trigger }] },
  });
  const iterations = (characters: number) =>
    answered(createAnthropic({ script: () => answer("Sum. ".repeat(2_000)) }).answer(request(characters), small)).usage
      .iterations;
  expect(iterations(210_000)).toMatchObject([
    { type: "compaction", output_tokens: 100 },
    { type: "message", output_tokens: 100 },
  ]);
  // 999,984 tokens of a million.
  expect(iterations(3_499_930)[0]).toMatchObject({ type: "compaction", output_tokens: 16 });
});
