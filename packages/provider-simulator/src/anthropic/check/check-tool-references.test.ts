import { expect, test } from "vitest";
import { inputTokensOf } from "../../usage.ts";
import { createAnthropic } from "../anthropic.ts";

const betas = ["mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"];
const read = { name: "read", input_schema: { type: "object" } };
const define = (definition: object) => ({ type: "tool_addition", tool: { type: "tool_definition", definition } });
const refer = (type: "tool_addition" | "tool_removal", name: string) => ({
  type,
  tool: { type: "tool_reference", name },
});

const code = (...changes: object[]) => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "system", content: changes },
  ];
  const request = { model: "claude-opus-5-5", max_tokens: 10, tools: [read], messages };
  const verdict = createAnthropic().judge(request, { betas });
  if (verdict.kind === "accepted") return "accepted";
  return (verdict.body as { error: { details?: { error_code: string } } }).error.details?.error_code;
};

test("1.7 a tool change refers to a tool of the request, or to one defined earlier in the conversation", () => {
  expect(code(refer("tool_removal", "read"), refer("tool_addition", "read"))).toBe("accepted");
  expect(code(refer("tool_addition", "write"))).toBe("tool_reference_unresolved");
  expect(code(define({ ...read, name: "write" }), refer("tool_removal", "write"))).toBe("accepted");
  expect(code(refer("tool_removal", "write"), define({ ...read, name: "write" }))).toBe("tool_reference_unresolved");
});

test("1.7 a tool defined in the conversation takes no name that a tool of another kind holds", () => {
  const memory = { type: "memory_20250818", name: "read" };
  expect(code(define(memory))).toBe("tool_name_conflict");
  expect(code(define({ ...read, type: "custom" }))).toBe("accepted");
  expect(code(define({ ...memory, name: "memory" }), define({ ...read, name: "memory" }))).toBe("tool_name_conflict");
});

const later = { name: "later", description: "x".repeat(400), input_schema: { type: "object" }, defer_loading: true };
const searched = (...content: object[]) => [
  { role: "user", content: "Hi" },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content }] },
];
const judge = (tools: object[], messages: object[] = [{ role: "user", content: "Hi" }]) =>
  createAnthropic().judge({ model: "claude-opus-5-5", max_tokens: 10, tools, messages });
const words = (verdict: ReturnType<typeof judge>) =>
  verdict.kind === "accepted" ? "accepted" : (verdict.body as { error: { message: string } }).error.message;

test("1.3 a deferred tool carries no mark, and not every tool is deferred", () => {
  const marked = { ...later, cache_control: { type: "ephemeral" } };
  expect(words(judge([read, marked]))).toBe(
    "Tool 'later' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.",
  );
  expect(words(judge([later]))).toContain("At least one tool must not have defer_loading");
  expect(words(judge([read, later]))).toBe("accepted");
});

test("1.3 a reference stands for the definition: it is counted where it stands, and must lead to a tool of the request", () => {
  const reference = { type: "tool_reference", tool_name: "later" };
  const tokens = (tools: object[], messages: object[]) => {
    const verdict = judge(tools, messages);
    if (verdict.kind !== "accepted") throw new Error(words(verdict));
    return inputTokensOf(verdict.usage);
  };
  const text = { type: "text", text: "Nothing." };
  expect(tokens([read, later], searched(text))).toBe(tokens([read], searched(text)));
  expect(tokens([read, later], searched(reference)) - tokens([read], searched(text))).toBeGreaterThan(90);
  expect(words(judge([read], searched(reference)))).toContain("not found in available tools");
});
