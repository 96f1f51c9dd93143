import { createAnthropic } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import type { ProviderEdits } from "../../log/payload-compaction.ts";
import type { RequestParts } from "../provider.ts";
import type { AnthropicMessage } from "./facts.ts";
import { createRequestRenderer, renderMessage } from "./render.ts";

const edits: ProviderEdits = {
  results: { aboveTokens: 9, minimumTokens: 5, keepNewest: 3, keptTools: ["ask"], inputsOf: ["write"] },
  thinking: "all",
};
const parts: RequestParts<AnthropicMessage> = {
  model: "claude-opus-5-5",
  system: "",
  tools: [],
  marks: [],
  cacheTtl: "5m",
  maxTokens: 2_000,
  session: "s",
  parameters: { thinking: { type: "adaptive" } },
  messages: renderMessage({ role: "user", blocks: [{ kind: "text", text: "Hello" }] }),
  edits,
};
const render = createRequestRenderer({ cacheDiagnostics: "off" });
const judge = createAnthropic();
const editsOf = (request: object) =>
  (request as { context_management?: { edits: readonly object[] } }).context_management?.edits;
const BETA = "context-management-2025-06-27";

test("thinking first, then results, with their beta beside those of the caller", () => {
  const request = render({ ...parts, parameters: { ...parts.parameters, betas: ["other", BETA] } });
  expect(request.betas).toEqual(["other", BETA]);
  expect(editsOf(request)).toEqual([
    { type: "clear_thinking_20251015", keep: "all" },
    {
      type: "clear_tool_uses_20250919",
      trigger: { type: "input_tokens", value: 9 },
      keep: { type: "tool_uses", value: 3 },
      clear_at_least: { type: "input_tokens", value: 5 },
      exclude_tools: ["ask"],
      clear_tool_inputs: ["write"],
    },
  ]);
  const { betas, ...body } = render({ ...parts, edits: { ...edits, thinking: { from: 7, turns: 2 } } });
  expect(editsOf(body)?.[0]).toMatchObject({ keep: { type: "thinking_turns", value: 2 } });
  expect(judge.judge(body, { betas: betas! }).kind).toBe("accepted");
});

test.each([{}, { thinking: { type: "disabled" } }])("thinking is not mentioned where it is off: %j", (parameters) => {
  const { betas, ...body } = render({ ...parts, model: "claude-sonnet-4-6", parameters });
  expect(editsOf(body)).toMatchObject([{ type: "clear_tool_uses_20250919" }]);
  expect(judge.judge(body, { betas: betas! }).kind).toBe("accepted");
});

test.each([
  { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
  { compaction: { type: "summarize" } },
  { thread: { type: "create" } },
])("the caller's own way wins: %j", (parameters) => {
  expect(render({ ...parts, parameters })).toEqual(render({ ...parts, parameters, edits: undefined as never }));
  expect(render({ ...parts, parameters }).betas).toBeUndefined();
});
