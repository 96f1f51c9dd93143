import { expect, test } from "vitest";
import { createAnthropic } from "../anthropic.ts";

const mark = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl ? { ttl } : {}) } });
const text = (words: string, fields: object = {}) => ({ type: "text", text: words, ...fields });
const tool = (fields: object = {}) => ({ name: "read", input_schema: { type: "object" }, ...fields });
const judge = (fields: object) => {
  const request = { model: "claude-opus-4-8", max_tokens: 10, messages: [{ role: "user", content: "Hi" }], ...fields };
  const verdict = createAnthropic().judge(request);
  return verdict.kind === "refused" ? verdict.message : "accepted";
};
const says = (...content: object[]) => ({ messages: [{ role: "user", content }] });
const order = (path: string) =>
  `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`;

test("1.7 >4 breakpoints: four are accepted, five are not, wherever they stand", () => {
  const marked = Array.from({ length: 4 }, (_, index) => text(`${index}`, mark()));
  expect(judge(says(...marked))).toBe("accepted");
  const tooMany = "A maximum of 4 blocks with cache_control may be provided. Found 5.";
  expect(judge(says(...marked, text("more", mark())))).toBe(tooMany);
  expect(judge({ ...says(...marked), tools: [tool(mark())] })).toBe(tooMany);
  expect(judge({ ...says(...marked), system: [text("Be brief.", mark())] })).toBe(tooMany);
});

test("1.7 >4 breakpoints: marks inside a tool result count", () => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "a",
          content: Array.from({ length: 4 }, (_, index) => text(`${index}`, mark())),
          ...mark(),
        },
      ],
    },
  ];
  expect(judge({ messages })).toBe("A maximum of 4 blocks with cache_control may be provided. Found 5.");
});

test("1.8 the top-level mark is one of the four, unless its block is marked already", () => {
  const marked = Array.from({ length: 4 }, (_, index) => text(`${index}`, mark()));
  expect(judge({ ...says(...marked), ...mark() })).toBe("accepted");
  expect(judge({ ...says(...marked, text("end")), ...mark() })).toBe(
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  );
});

test("1.7 TTL order follows tools, system, messages", () => {
  expect(judge(says(text("a"), text("b"), text("c", mark("5m")), text("d"), text("e", mark("1h"))))).toBe(
    order("messages.0.content.4"),
  );
  expect(judge({ tools: [tool(mark())], system: [text("x", mark("1h"))] })).toBe(order("system.0"));
  expect(judge({ system: [text("x", mark("5m"))], ...mark("1h") })).toBe(order("messages.0.content.0"));
  expect(judge({ ...says(text("a", mark())), tools: [tool(mark("1h"))] })).toBe("accepted");
});

test("1.7 top-level vs block TTL clash", () => {
  expect(judge({ ...says(text("a", mark("1h"))), ...mark("5m") })).toBe(
    "Top-level cache_control has ttl='5m' but the target block already has cache_control with ttl='1h'",
  );
  expect(judge({ ...says(text("a", mark("1h"))), ...mark("1h") })).toBe("accepted");
});
