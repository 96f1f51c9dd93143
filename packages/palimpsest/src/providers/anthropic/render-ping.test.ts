import { createAnthropic } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import type { AnthropicRequest } from "./facts.ts";
import { renderPing } from "./render.ts";

const request: AnthropicRequest = {
  model: "claude-opus-5-5",
  max_tokens: 4_000,
  tools: [{ name: "look", input_schema: { type: "object" } }],
  system: [{ type: "text", text: "You are careful. ".repeat(1_000), cache_control: { type: "ephemeral" } }],
  messages: [{ role: "user", content: [{ type: "text", text: "Hello there.", cache_control: { type: "ephemeral" } }] }],
};

describe("a ping", () => {
  test("reads all that the request wrote, and says nothing", () => {
    const face = createAnthropic();
    const first = face.answer(request);
    const second = face.answer(renderPing({ ...request, stream: false, diagnostics: { previous_message_id: null } })!);
    if (first.kind === "refused" || second.kind === "refused") throw new Error("refused");
    const writtenTokens = first.response.usage.cache_creation_input_tokens;
    expect(writtenTokens).toBeGreaterThan(3_000);
    expect(second.response.usage).toMatchObject({
      cache_read_input_tokens: writtenTokens,
      cache_creation_input_tokens: 0,
      output_tokens: 0,
    });
  });

  test.each([
    ["thinking with a budget", { model: "claude-opus-4-5", thinking: { type: "enabled", budget_tokens: 2_000 } }],
    ["a tool that must be called", { tool_choice: { type: "any" } }],
    ["one certain tool", { tool_choice: { type: "tool", name: "look" } }],
    ["an output format", { output_config: { format: { type: "json_schema", schema: { type: "object" } } } }],
  ])("there is none with %s, because the API refuses it", (_, more) => {
    const asked = { ...request, ...more } as AnthropicRequest;
    expect(renderPing(asked)).toBeUndefined();
    expect(createAnthropic().answer({ ...asked, max_tokens: 0 }).kind).toBe("refused");
  });

  test.each([
    ["adaptive thinking", { thinking: { type: "adaptive" } }],
    ["a free choice of tools", { tool_choice: { type: "auto" } }],
    ["an effort", { output_config: { effort: "high" } }],
  ])("there is one with %s", (_, more) => {
    const ping = renderPing({ ...request, ...more } as AnthropicRequest);
    expect(ping).toMatchObject({ ...more, max_tokens: 0 });
    expect(createAnthropic().answer(ping!).kind).toBe("answered");
  });
});
