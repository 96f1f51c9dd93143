import { expect, test } from "vitest";
import { lookCalls, offeredTools, readCall, searchCalls } from "./offered-tools.ts";

const schema = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
});

test("a file is read by whatever tool each service is told of", () => {
  const requests = [
    { tools: [{ name: "Read", input_schema: schema("file_path") }] },
    { tools: [{ type: "function", name: "read_file", parameters: schema("path") }] },
    { tools: [{ type: "function", function: { name: "read", parameters: schema("filePath") } }] },
    { tools: [{ functionDeclarations: [{ name: "read_file", parametersJsonSchema: schema("absolute_path") }] }] },
  ];
  const inputs = requests.map((request) => readCall(offeredTools(request), "/w", "a.txt"));
  expect(inputs.map((call) => call?.kind === "tool-call" && Object.values(call.input as object))).toEqual(
    Array.from({ length: 4 }, () => ["/w/a.txt"]),
  );
});

test("without a reader it is a shell, with something for all that it insists on", () => {
  const tools = offeredTools({ tools: [{ name: "bash", input_schema: schema("command", "description") }] });
  expect(readCall(tools, "/w", "a.txt")).toMatchObject({
    name: "bash",
    input: { command: "cat /w/a.txt", description: "the next part" },
  });
  const limit = { type: "number", default: 100 };
  const limited = {
    type: "object",
    properties: { file_path: { type: "string" }, limit },
    required: ["file_path", "limit"],
  };
  const reader = offeredTools({ tools: [{ name: "read_file", input_schema: limited }] });
  expect(readCall(reader, "/w", "a.txt")).toMatchObject({ input: { file_path: "/w/a.txt", limit: 100 } });
  expect(readCall([], "/w", "a.txt")).toBeUndefined();
});

test("tools that search are asked in their own way, and what they name is looked at", () => {
  const both = { name: "recall", input_schema: schema("entry", "search") };
  const tools = offeredTools({ tools: [both, { name: "grep", input_schema: schema("pattern") }] });
  const [recall, grep] = searchCalls(tools, 'billing "retry badge"');
  expect(recall).toMatchObject({ name: "recall", input: { search: 'billing "retry badge"' } });
  expect(grep).toMatchObject({ name: "grep", input: { pattern: "retry[-_ ]badge" } });
  const found = 'entry 9: [call of recall] {"search":"x"}\nentry 4: ...billing...';
  expect(lookCalls(tools, 'billing "retry badge"', found)).toMatchObject([{ input: { entry: 4, search: "retry" } }]);
});
