import { expect, test } from "vitest";
import { toConfiguration } from "./configuration.ts";

test("turns named tools into definitions, and passes the service's tools on as parameters", () => {
  const read = { name: "read", schema: { type: "object", more: undefined } };
  const search = { type: "web_search" };
  const partsOf = (tool: object) => ("name" in tool ? { ...read, description: undefined } : undefined);
  expect(toConfiguration<object>([read, search], partsOf, { temperature: 0, stop: undefined })).toEqual({
    tools: [{ name: "read", inputSchema: { type: "object" } }],
    parameters: { settings: { temperature: 0 }, tools: [search] },
  });
});

test("passes tools with invalid names on as parameters, and sets nothing for an empty list", () => {
  const odd = { name: "read a file" };
  const partsOf = () => ({ name: odd.name, description: "", schema: {} });
  expect(toConfiguration([odd], partsOf, {})).toEqual({ tools: [], parameters: { tools: [odd] } });
  expect(toConfiguration([], partsOf, {})).toEqual({ tools: [], parameters: {} });
});
