import type { ToolDefinition } from "palimpsest";
import type { ResponseContent } from "palimpsest/provider-parts";
import { ask, type Finding, failedFinding, type Probe, type Question, type RequestLimits, user } from "../probe.ts";
import { wireFields } from "../wire-fields.ts";

const MAX_OUTPUT_TOKENS = 2_048;
const KEY = "391";
const VALUE = "4217";

const LOOK_UP: ToolDefinition = {
  name: "look_up",
  description: "Looks up the value that belongs to a key.",
  inputSchema: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
};

/**
 * Checks a tool call, its result and the answer. Includes thinking if the model supports it, because thinking must be
 * sent back unchanged.
 */
export const toolsProbe: Probe = {
  check: "tools",
  about: "call a tool and return its result, with thinking if the model supports it",
  calls: 2,
  plan: () => [
    { inputTokens: 600, likelyOutputTokens: 300, mostOutputTokens: MAX_OUTPUT_TOKENS },
    { inputTokens: 900, likelyOutputTokens: 80, mostOutputTokens: MAX_OUTPUT_TOKENS },
  ],
  async run(endpoint, target) {
    const question = firstQuestion(target);
    const first = await ask(endpoint, target, question);
    if (first.kind === "failed") return [await failedFinding("tools", first.error, endpoint)];
    const call = first.content.blocks.find((block) => block.kind === "tool_call");
    if (call?.kind !== "tool_call") {
      const text = `the model answered without calling the tool (stop ${first.content.stop})`;
      return [{ check: "tools", state: "skipped", text, fields: {} }];
    }
    const result = { kind: "tool_result", callId: call.id, content: `Its value is ${VALUE}.`, status: "ok" } as const;
    const second = await ask(endpoint, target, {
      ...question,
      messages: [
        ...question.messages,
        { role: "assistant", blocks: first.content.blocks },
        { role: "user", blocks: [result] },
      ],
    });
    const thinking = judgeThinking(first.content, second.kind, target);
    if (second.kind === "failed") return [await failedFinding("tools", second.error, endpoint), thinking];
    const fields = wireFields(await endpoint.takeExchanges());
    const { blocks } = second.content;
    const answerText = blocks.map((block) => (block.kind === "text" ? block.text : "")).join("");
    const isRight = (call.input as { readonly key?: unknown } | null)?.key === KEY && answerText.includes(VALUE);
    const text = `called with ${JSON.stringify(call.input)}, ended with stop ${second.content.stop}`;
    const read = `stop ${first.content.stop}, then ${second.content.stop}`;
    return [
      { check: "tools", state: isRight ? "ok" : "note", text, fields: { ...fields, "the adapter reads": read } },
      thinking,
    ];
  },
};

function firstQuestion({ mark, thinking }: RequestLimits): Question {
  return {
    messages: [
      user(
        `This is check ${mark} of a program. Work out 17 times 23 and call look_up once, with that number as the key. Then answer with the value, and nothing else.`,
      ),
    ],
    tools: [LOOK_UP],
    parameters: thinking,
    maxTokens: MAX_OUTPUT_TOKENS,
  };
}

function judgeThinking({ blocks }: ResponseContent, then: "answered" | "failed", { api }: RequestLimits): Finding {
  const check = "thinking";
  if (api === "openai-chat")
    return { check, state: "skipped", text: "this API does not accept thinking in requests", fields: {} };
  const thoughts = blocks.filter(({ kind }) => kind === "thinking").length;
  if (thoughts === 0) return { check, state: "skipped", text: "the model did not think before its call", fields: {} };
  const state = then === "answered" ? "ok" : "problem";
  const text = then === "answered" ? "sent back unchanged and accepted" : "sent back unchanged and rejected";
  return { check, state, text, fields: { "sent back": then } };
}
