import { describe, expect, test } from "vitest";
import type { AnthropicRequest } from "./facts.ts";
import { renderCompaction, withCompactionFirst } from "./render.ts";

const request = (fields: object): AnthropicRequest =>
  ({ model: "claude-opus-5-5", max_tokens: 100, messages: [{ role: "user", content: "Hi" }], ...fields }) as never;
const SIGNED = { type: "compaction", content: "So far.", encrypted_content: null, signature: "s", tool_changes: [] };
const THRESHOLD = { type: "compact_20260112" };
const CLEAR = { type: "clear_tool_uses_20250919" };
const first = (block: object) => [{ role: "assistant", content: [block] }];

describe("renderCompaction", () => {
  test("keeps the conversation and removes fields that only shape an answer", () => {
    const shaped = request({
      stop_sequences: ["x"],
      tool_choice: { type: "any" },
      diagnostics: {},
      system: "Be brief.",
      betas: ["a"],
      output_config: { format: { type: "json_schema" }, effort: "low" },
      context_management: { edits: [CLEAR] },
    });
    expect(renderCompaction(shaped)).toEqual({
      ...request({ system: "Be brief.", output_config: { effort: "low" } }),
      compaction: { type: "summarize" },
      betas: ["a", "compact-2026-09-04"],
    });
  });

  test("keeps a tool choice that forces no call, and adds instructions", () => {
    const asked = renderCompaction(request({ tool_choice: { type: "auto" } }), { instructions: "Mind the loader." });
    expect(asked).toMatchObject({
      tool_choice: { type: "auto" },
      compaction: { type: "summarize", instructions: "Mind the loader." },
    });
  });

  test("returns undefined if the parameters already request a compaction", () => {
    expect(renderCompaction(request({ context_management: { edits: [CLEAR, THRESHOLD] } }))).toBeUndefined();
  });
});

describe("withCompactionFirst", () => {
  test("adds the beta for the summary", () => {
    const { signature: _, tool_changes: __, ...unsigned } = SIGNED;
    expect(withCompactionFirst({ messages: first(SIGNED) })["betas"]).toEqual(["compact-2026-09-04"]);
    expect(withCompactionFirst({ messages: first(unsigned), betas: ["a"] })["betas"]).toEqual([
      "a",
      "compact-2026-01-12",
    ]);
    expect(withCompactionFirst({ messages: first({ type: "text", text: "Hi" }) })).not.toHaveProperty("betas");
  });

  test("removes the compaction threshold if the summary is signed", () => {
    const messages = first(SIGNED);
    const both = withCompactionFirst({ messages, context_management: { edits: [CLEAR, THRESHOLD] } });
    expect(both["context_management"]).toEqual({ edits: [CLEAR] });
    expect(withCompactionFirst({ messages, context_management: { edits: [THRESHOLD] } })).not.toHaveProperty(
      "context_management",
    );
  });
});
