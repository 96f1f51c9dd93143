import { expect, test } from "vitest";
import { limitTools } from "./to-agent-tool.ts";

const plain = { type: "object" };

test("sorts tools by name, and sanitizes their texts", () => {
  const schema = { type: "object", properties: { a: { type: "string", description: "x\u001b[2J\u202e" } } };
  expect(
    limitTools("s", [
      { name: "b", description: "B\u{e0041}.", inputSchema: schema },
      { name: "a", inputSchema: plain },
    ]),
  ).toEqual({
    tools: [
      { name: "a", description: "", inputSchema: plain },
      {
        name: "b",
        description: "B⟨U+E0041⟩.",
        inputSchema: { type: "object", properties: { a: { type: "string", description: "x⟨U+202E⟩" } } },
      },
    ],
    problems: [],
  });
});

test("cuts a description of a megabyte, with numbers for the user and the model", () => {
  const { tools, problems } = limitTools("s", [{ name: "a", description: "x".repeat(1_000_000), inputSchema: plain }]);
  expect(tools[0]!.description).toMatch(/^x{2000}\n\[998000 more characters\]$/);
  expect(problems).toEqual([
    "The description of the tool a of the server s is cut: it has 1000000 characters, 2000 are used.",
  ]);
});

test("leaves out and names a tool whose schema is too large or too deep", () => {
  let deep: object = {};
  for (let level = 0; level < 50_000; level++) deep = { a: deep };
  const { tools, problems } = limitTools("s", [
    { name: "large", inputSchema: { type: "object", description: "x".repeat(20_000) } },
    { name: "deep", inputSchema: deep as never },
    { name: "hidden", inputSchema: { type: "object", description: "x\u200b".repeat(2_000) } },
    { name: "fine", inputSchema: plain },
  ]);
  expect(tools.map(({ name }) => name)).toEqual(["fine"]);
  expect(problems).toEqual([
    "The tool deep of the server s is left out: its schema is nested deeper than 32 levels.",
    "The tool hidden of the server s is left out: its schema has 18034 characters, at most 16000 are used.",
    "The tool large of the server s is left out: its schema has 20034 characters, at most 16000 are used.",
  ]);
});

test("keeps as many tools as fit, and reports the number of the others", () => {
  const many = Array.from({ length: 500 }, (_, index) => ({ name: `t${1_000 + index}`, inputSchema: plain }));
  const { tools, problems } = limitTools("s", many);
  expect(tools).toHaveLength(200);
  expect(problems).toEqual([
    "300 of 500 tools of the server s are left out: at most 200 tools with 120000 characters are used of one server. " +
      "Left out: t1200, t1201, t1202, t1203, t1204 and 295 more.",
  ]);
  const wordy = many.slice(0, 100).map((tool) => ({ ...tool, description: "x".repeat(1_986) }));
  expect(limitTools("s", wordy).tools).toHaveLength(59);
});
