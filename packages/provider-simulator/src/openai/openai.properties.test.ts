import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { manualClock } from "../clock.ts";
import { answer, callTool, callTools, type Script, think } from "../script.ts";
import { inputTokensOf } from "../usage.ts";
import { virtualTokenizer } from "../virtual-tokenizer.ts";
import { createOpenAiChat } from "./chat/chat.ts";
import { compatibleProfiles } from "./chat/compatible.ts";
import { openAiModels } from "./models.ts";
import { createOpenAiResponses } from "./responses/responses.ts";
import { sealContent } from "./responses/sealed.ts";

const MODELS = Object.keys(openAiModels);
const call = (path: string, body: string) => ({ method: "POST", path, headers: { authorization: "Bearer k" }, body });

const json = fc.jsonValue({ maxDepth: 3 });
const callId = fc.constantFrom("call_1", "call_2");
const text = fc.oneof(fc.string(), fc.constant("word ".repeat(3_000)));
const sealed = fc.constantFrom(
  sealContent({ kind: "reasoning", id: "rs_1", text: "Hm." }),
  sealContent({ kind: "compaction", id: "cmp_1", text: "Sum." }),
  "made up",
);

/** Mostly as it should be, sometimes with one field replaced by anything: random JSON would fail at the first check. */
function spoilt(sound: fc.Arbitrary<object>): fc.Arbitrary<unknown> {
  const broken = fc.tuple(sound, fc.nat(), json).map(([value, place, junk]) => ({
    ...value,
    [Object.keys(value)[place % Object.keys(value).length] ?? "junk"]: junk,
  }));
  return fc.oneof({ weight: 8, arbitrary: sound }, { weight: 1, arbitrary: broken }, { weight: 1, arbitrary: json });
}

const part = spoilt(
  fc.oneof(
    fc.record({ type: fc.constantFrom("input_text", "output_text", "text"), text }),
    fc.record({
      type: fc.constant("input_text"),
      text,
      prompt_cache_breakpoint: fc.record({ mode: fc.constant("explicit") }),
    }),
    fc.record({ type: fc.constant("input_image"), image_url: fc.string() }),
  ),
);
const content = fc.oneof(text, fc.array(part, { maxLength: 2 }));
const item = spoilt(
  fc.oneof(
    fc.record({ role: fc.constantFrom("user", "assistant", "system", "developer"), content }),
    fc.record({ type: fc.constant("function_call"), call_id: callId, name: fc.string(), arguments: fc.constant("{}") }),
    fc.record({ type: fc.constant("function_call_output"), call_id: callId, output: content }),
    fc.record({ type: fc.constant("reasoning"), summary: fc.constant([]), encrypted_content: sealed }),
    fc.record({ type: fc.constant("compaction"), encrypted_content: sealed }),
    fc.record({ type: fc.constantFrom("compaction_trigger", "web_search_call") }),
  ),
);
const toolCall = spoilt(
  fc.record({
    id: callId,
    type: fc.constant("function"),
    function: fc.record({ name: fc.string(), arguments: fc.constant("{}") }),
  }),
);
const message = spoilt(
  fc.oneof(
    fc.record({ role: fc.constantFrom("user", "assistant", "system", "developer"), content }),
    fc.record({
      role: fc.constant("assistant"),
      content: fc.constant(null),
      tool_calls: fc.array(toolCall, { maxLength: 2 }),
    }),
    fc.record({ role: fc.constant("tool"), tool_call_id: callId, content }),
  ),
);

const shared = {
  model: fc.constantFrom(...MODELS),
  stream: fc.boolean(),
  prompt_cache_key: fc.string(),
  prompt_cache_options: fc.record(
    { mode: fc.constantFrom("implicit", "explicit"), ttl: fc.constant("30m") },
    { requiredKeys: [] },
  ),
};
const tools = fc.constant([{ type: "function", name: "read" }]);
const responsesSettings = {
  ...shared,
  instructions: text,
  store: fc.boolean(),
  truncation: fc.constantFrom("auto", "disabled"),
  reasoning: fc.record({ summary: fc.constant("auto") }),
  context_management: fc.constant([{ type: "compaction", compact_threshold: 1_000 }]),
  max_output_tokens: fc.integer({ min: 16, max: 100 }),
};
const spoiltResponsesRequest = spoilt(
  fc.record(
    {
      ...responsesSettings,
      input: fc.oneof(text, fc.array(item, { maxLength: 5 })),
      previous_response_id: fc.constantFrom("resp_none", null),
      tools: fc.array(spoilt(fc.record({ type: fc.constant("function"), name: fc.constantFrom("read", "write") })), {
        maxLength: 2,
      }),
      max_output_tokens: fc.integer({ min: 10, max: 100 }),
    },
    { requiredKeys: ["model", "input"] },
  ),
);
const spoiltChatRequest = spoilt(
  fc.record(
    {
      ...shared,
      messages: fc.array(message, { maxLength: 5 }),
      max_completion_tokens: fc.integer({ min: 0, max: 100 }),
      stream_options: fc.record({ include_usage: fc.boolean() }),
      tools: fc.constant([{ type: "function", function: { name: "read" } }]),
    },
    { requiredKeys: ["model", "messages"] },
  ),
);

/** Newer models only: the older take no cache options. */
const sound = { model: fc.constantFrom(...MODELS.filter((id) => openAiModels[id]!.cache.kind === "breakpoints")) };
const turn = fc.record({ said: fc.string({ minLength: 1 }), reply: fc.constantFrom("words", "call") });
const soundResponsesRequest = fc
  .tuple(
    fc.record({ ...responsesSettings, ...sound, tools }, { requiredKeys: ["model"] }),
    fc.array(turn, { maxLength: 3 }),
  )
  .map(([settings, turns]) => ({
    ...settings,
    input: [
      ...turns.flatMap(({ said, reply }, index) => [
        { role: "user", content: said },
        ...(reply === "words"
          ? [{ role: "assistant", content: said }]
          : [
              { type: "function_call", call_id: `call_${index}`, name: "read", arguments: "{}" },
              { type: "function_call_output", call_id: `call_${index}`, output: said },
            ]),
      ]),
      { role: "user", content: [{ type: "input_text", text: "And now?" }] },
    ],
  }));
const soundChatRequest = fc
  .tuple(fc.record({ ...shared, ...sound }, { requiredKeys: ["model"] }), fc.array(turn, { maxLength: 3 }))
  .map(([settings, turns]) => ({
    ...settings,
    messages: [
      ...turns.flatMap(({ said, reply }, index) => [
        { role: "user", content: said },
        ...(reply === "words"
          ? [{ role: "assistant", content: said }]
          : [
              {
                role: "assistant",
                content: null,
                tool_calls: [{ id: `call_${index}`, type: "function", function: { name: "read", arguments: "{}" } }],
              },
              { role: "tool", tool_call_id: `call_${index}`, content: said },
            ]),
      ]),
      { role: "user", content: "And now?" },
    ],
  }));
const responsesRequest = fc.oneof(soundResponsesRequest, spoiltResponsesRequest);
const chatRequest = fc.oneof(soundChatRequest, spoiltChatRequest);

describe("any JSON value as a request", () => {
  it("is judged by Responses without throwing, on every path", () => {
    const service = createOpenAiResponses({ clock: manualClock() });
    const kinds = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(responsesRequest, (request) => {
        const verdict = service.judge(request);
        kinds[verdict.kind]++;
        if (verdict.kind === "refused")
          expect(verdict.body).toMatchObject({ error: { message: verdict.message, type: expect.any(String) } });
        else expect(inputTokensOf(verdict.usage)).toBe(verdict.inputTokens);
        for (const path of ["/v1/responses", "/v1/responses/compact", "/v1/responses/input_tokens"]) {
          expect(service.handle(call(path, JSON.stringify(request)))).toBeDefined();
        }
      }),
      { numRuns: 500 },
    );
    // Otherwise the property would say little. About half are sound by construction: chance is far from this floor.
    expect(Math.min(kinds.accepted, kinds.refused)).toBeGreaterThan(100);
  });

  it("is judged by Chat Completions and by every compatible server without throwing", () => {
    const profiles = [
      undefined,
      compatibleProfiles["llama.cpp"],
      compatibleProfiles.Ollama,
      compatibleProfiles.DeepSeek,
    ];
    const services = profiles.map((profile) => createOpenAiChat({ clock: manualClock(), ...(profile && { profile }) }));
    const kinds = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(chatRequest, (request) => {
        for (const service of services) {
          const verdict = service.judge(request);
          kinds[verdict.kind]++;
          if (verdict.kind === "accepted") expect(inputTokensOf(verdict.usage)).toBe(verdict.inputTokens);
          expect(service.handle(call("/v1/chat/completions", JSON.stringify(request)))).toBeDefined();
        }
      }),
      { numRuns: 300 },
    );
    expect(Math.min(kinds.accepted, kinds.refused)).toBeGreaterThan(100);
  });

  it("and any text as a body is answered", () => {
    const service = createOpenAiResponses({ clock: manualClock() });
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (body) => {
        expect(service.handle(call("/v1/responses", body))).toMatchObject({ kind: "json", status: 400 });
      }),
    );
  });
});

describe("a conversation that only grows", () => {
  const script: Script = (ask) => {
    if (ask.toolResults.length === 0 && ask.turn % 2 === 0)
      return think("Let me look.", callTools(callTool("read", { turn: ask.turn })));
    return answer(`Answer ${ask.turn}. `.repeat(20));
  };

  it("stays valid, reads only what was written before, and its usage adds up", () => {
    const turn = fc.record({ words: fc.integer({ min: 1, max: 1_500 }), pauseMinutes: fc.integer({ min: 0, max: 8 }) });
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 2, maxLength: 8 }),
        fc.constantFrom(...MODELS),
        fc.integer(),
        (turns, model, seed) => {
          const clock = manualClock();
          const service = createOpenAiResponses({ clock, tokenizer: virtualTokenizer(seed), script });
          const input: object[] = [];
          let writtenTokens = 0;
          for (const { words, pauseMinutes } of turns) {
            clock.advance(pauseMinutes * 60_000);
            const pending = input.at(-1) as { type?: string; call_id?: string } | undefined;
            input.push(
              pending?.type === "function_call"
                ? { type: "function_call_output", call_id: pending.call_id, output: "line ".repeat(words) }
                : { role: "user", content: "word ".repeat(words) },
            );
            const answered = service.answer({ model, input: [...input], store: false });
            if (answered.kind === "refused") throw new Error(answered.message);
            const { usage, acceptance, response, priceUsd } = answered;
            expect(inputTokensOf(usage)).toBe(acceptance.inputTokens);
            expect(response.usage!.total_tokens).toBe(acceptance.inputTokens + usage.outputTokens);
            expect(usage.cacheReadTokens).toBeLessThanOrEqual(writtenTokens);
            expect(acceptance.cache.tokensRead).toBe(usage.cacheReadTokens);
            expect(priceUsd).toBeGreaterThan(0);
            writtenTokens = acceptance.inputTokens;
            input.push(...response.output);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("reads everything it wrote as long as the cache lives, on models with breakpoints", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 800, max: 2_000 }), { minLength: 2, maxLength: 6 }), (sizes) => {
        const clock = manualClock();
        const service = createOpenAiChat({ clock });
        const messages: object[] = [];
        let cachedTokens = 0;
        for (const [index, words] of sizes.entries()) {
          messages.push({ role: "user", content: `${index} ${"word ".repeat(words)}` });
          const verdict = service.judge({ model: "gpt-6-sol", messages: [...messages] });
          if (verdict.kind === "refused") throw new Error(verdict.message);
          expect(verdict.usage.cacheReadTokens).toBe(cachedTokens);
          cachedTokens = verdict.inputTokens;
          clock.advance(29 * 60_000);
        }
      }),
      { numRuns: 30 },
    );
  });
});
