import { expect, test } from "vitest";
import { agentNumber, kindOf, type RequestBody, resultTexts, wordsOf } from "./read-request.ts";

const TOOLS = [{ name: "Read" }];
const CALLED = "export const a = 1;";
const ASKED = "Write the summary in these nine sections.";

/** The same conversation with one tool result and a last message, as each service gets it. */
function bodies(last: string): readonly RequestBody[] {
  return [
    {
      tools: TOOLS,
      messages: [
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: CALLED }] }],
        },
        { role: "user", content: [{ type: "text", text: last }] },
      ],
    },
    {
      tools: TOOLS,
      input: [
        { type: "function_call_output", call_id: "1", output: CALLED },
        { type: "message", role: "user", content: [{ type: "input_text", text: last }] },
      ],
    },
    {
      tools: [{ functionDeclarations: TOOLS }],
      contents: [
        { role: "user", parts: [{ functionResponse: { name: "Read", response: { output: CALLED } } }] },
        { role: "user", parts: [{ text: last }] },
      ],
    },
    {
      toolConfig: { tools: [{ toolSpec: TOOLS[0] }] },
      messages: [
        { role: "user", content: [{ toolResult: { toolUseId: "1", content: [{ text: CALLED }] } }] },
        { role: "user", content: [{ text: last }] },
      ],
    },
  ];
}

test.each(bodies(ASKED))("kindOf finds a request for a summary: %j", (body) => expect(kindOf(body)).toBe("summary"));

test.each(bodies("Go on."))("kindOf finds a request of the conversation: %j", (body) => {
  expect(kindOf(body)).toBe("main");
});

test.each(bodies("LADDER-AGENT-2: check this part."))("kindOf finds the request of a fork: %j", (body) => {
  expect(kindOf(body)).toBe("agent");
  expect(agentNumber(body)).toBe(2);
});

test("kindOf counts a request without tools as a side question", () => {
  expect(kindOf({ messages: [{ role: "user", content: "A title for this?" }] })).toBe("other");
});

test.each(bodies("Go on."))("resultTexts returns the results of tools: %j", (body) => {
  const [result, ...rest] = resultTexts(body);
  expect(result).toContain(CALLED);
  expect(rest).toEqual([]);
  expect(wordsOf(body)).toContain("Go on.");
});
