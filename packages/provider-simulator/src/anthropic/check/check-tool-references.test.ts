import { expect, test } from "vitest";
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
