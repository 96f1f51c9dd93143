import { expect, test } from "vitest";
import { createAnthropic } from "../anthropic.ts";

const text = (words: string) => ({ type: "text", text: words });
const call = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" });
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const ask = user(text("Go"));

const judge = (messages: unknown[], betas: string[] = []) => {
  const verdict = createAnthropic().judge({ model: "claude-sonnet-4-5", max_tokens: 10, messages }, { betas });
  return verdict.kind === "refused" ? verdict.message : "accepted";
};
const unanswered = (index: number, ids: string) =>
  `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
const unexpected = (path: string, id: string) =>
  `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;

test.each<[string, unknown[]]>([
  ["one call and its result", [ask, assistant(call("a")), user(result("a"))]],
  ["parallel calls answered in another order", [ask, assistant(call("a"), call("b")), user(result("b"), result("a"))]],
  ["text after the results", [ask, assistant(call("a")), user(result("a"), text("and hurry"))]],
  [
    "calls over two assistant messages, merged into one turn",
    [ask, assistant(call("a")), assistant(call("b")), user(result("a"), result("b"))],
  ],
  [
    "results over two user messages, merged into one turn",
    [ask, assistant(call("a"), call("b")), user(result("a")), user(result("b"))],
  ],
  [
    "the same tool in two rounds",
    [ask, assistant(call("a")), user(result("a")), assistant(call("b")), user(result("b"))],
  ],
])("1.7 %s", (_, messages) => {
  expect(judge(messages)).toBe("accepted");
});

test.each<[string, unknown[], string]>([
  ["tool_use not answered in the next message", [ask, assistant(call("a")), ask], unanswered(1, "a")],
  ["tool_use at the very end", [ask, assistant(call("a"))], unanswered(1, "a")],
  [
    "two tool_use not answered",
    [ask, assistant(call("a"), call("b"), call("c")), user(result("b"))],
    unanswered(1, "a, c"),
  ],
  [
    "tool_use answered one message too late",
    [ask, assistant(call("a")), ask, assistant(text("Hm")), user(result("a"))],
    unanswered(1, "a"),
  ],
  [
    "tool_use answered after other content",
    [ask, assistant(call("a")), user(text("wait"), result("a"))],
    unanswered(1, "a"),
  ],
  [
    "tool_use answered after a message of other content",
    [ask, assistant(call("a")), { role: "user", content: "wait" }, user(result("a"))],
    unanswered(1, "a"),
  ],
  [
    "the index is that of the message with the call",
    [ask, assistant(text("x")), ask, assistant(text("y")), assistant(call("a")), ask],
    unanswered(4, "a"),
  ],
  ["orphan tool_result", [user(result("a"))], unexpected("messages.0.content.0", "a")],
  [
    "orphan tool_result beside a good one",
    [ask, assistant(call("a")), user(result("a"), result("z"))],
    unexpected("messages.2.content.1", "z"),
  ],
  [
    "tool_result of an earlier turn",
    [ask, assistant(call("a")), user(result("a")), assistant(text("x")), user(result("a"))],
    unexpected("messages.4.content.0", "a"),
  ],
  [
    "tool_result of a call that comes later",
    [user(result("a")), assistant(call("a"))],
    unexpected("messages.0.content.0", "a"),
  ],
  [
    "one id used twice",
    [ask, assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))],
    "messages.3.content.0: `tool_use` ids must be unique",
  ],
  [
    "two results for one call",
    [ask, assistant(call("a")), user(result("a"), result("a"))],
    "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
  ],
])("1.7 %s is refused", (_, messages, message) => {
  expect(judge(messages)).toBe(message);
});

test("1.7 orphan server result", () => {
  const orphan = { type: "advisor_tool_result", tool_use_id: "srvtoolu_1", content: {} };
  expect(judge([ask, assistant(orphan), ask], ["advisor-tool-2026-03-01"])).toBe(
    "messages.1.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: srvtoolu_1. Each `advisor_tool_result` block must have a corresponding `server_tool_use` block before it.",
  );
  const called = { type: "server_tool_use", id: "srvtoolu_1", name: "advisor", input: {} };
  expect(judge([ask, assistant(called, orphan), ask], ["advisor-tool-2026-03-01"])).toBe("accepted");
});
