import { expect, test } from "vitest";
import type { ToolDefinition } from "../log/block.ts";
import { searchTools } from "./configure.ts";

const tool = (name: string, description: string): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: "object" },
});
const [mail, calendar] = [tool("send_mail", "Sends a letter."), tool("read_calendar", "Reads appointments.")];
const search = (input: unknown, ...loaded: readonly ToolDefinition[]) =>
  searchTools({ offered: [mail, calendar], loaded: new Map(loaded.map((one) => [one.name, one])) }, input).map(
    (part) => (part.kind === "text" ? (part.tool?.name ?? part.text) : part.kind),
  );

test("tools that are found come with their definitions, by name or by words", () => {
  expect(search({ names: ["read_calendar"] })).toEqual(["read_calendar"]);
  expect(search({ query: "letter" })).toEqual(["send_mail"]);
});

test("what is loaded already is not loaded again, unless it has changed since", () => {
  expect(search({ names: ["send_mail", "read_calendar"] }, mail)).toEqual(["read_calendar"]);
  expect(search({ names: ["send_mail"] }, mail)).toEqual(["Loaded already: send_mail."]);
  expect(search({ names: ["send_mail"] }, { ...mail, description: "Sends." })).toEqual(["send_mail"]);
});

test.each([[{ names: ["other"] }], [{ query: "zebra" }], [{ names: 7 }], ["send_mail"], [undefined]])(
  "a search that finds nothing says which there are: %j",
  (input) => {
    const [words, ...more] = search(input);
    expect(more).toEqual([]);
    expect(words).toMatch(/No tool.*send_mail, read_calendar/);
  },
);
