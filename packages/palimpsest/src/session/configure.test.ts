import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../log/block.ts";
import { resolveConfiguration } from "../view/items.ts";
import { changeConfiguration, planDeferral, searchTools } from "./configure.ts";

describe("changeConfiguration", () => {
  const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
  const opened = changeConfiguration(undefined, {
    provider: "p",
    model: "m",
    system: "Be brief.",
    tools: [tool("a"), tool("b")],
  })!;
  const before = resolveConfiguration(1, opened, undefined)!;
  const requested = { provider: "p", model: "m" };

  test("writes everything in the first configuration", () => {
    expect(opened).toEqual({
      provider: "p",
      model: "m",
      system: { value: "Be brief." },
      tools: { value: [tool("a"), tool("b")] },
      parameters: {},
      cause: "opened",
    });
  });

  test("keeps fields that are left out, and writes nothing without a change", () => {
    expect(changeConfiguration(before, requested)).toBeUndefined();
    expect(changeConfiguration(before, { ...requested, system: "Be brief.", parameters: {} })).toBeUndefined();
  });

  test("writes only changed fields, and refers to earlier entries for the others", () => {
    expect(changeConfiguration(before, { ...requested, model: "n", system: "Be kind." })).toEqual({
      provider: "p",
      model: "n",
      system: { value: "Be kind." },
      tools: { heldBy: 1 },
      parameters: {},
      cause: "model, system changed",
    });
  });

  test("keeps the previous order of tools, and puts new tools last", () => {
    expect(changeConfiguration(before, { ...requested, tools: [tool("b"), tool("a")] })).toBeUndefined();
    const more = changeConfiguration(before, { ...requested, tools: [tool("c"), tool("b"), tool("a")] });
    expect(more?.tools).toEqual({ value: [tool("a"), tool("b"), tool("c")] });
  });
});

describe("planDeferral", () => {
  const tool = (name: string, loading?: ToolDefinition["loading"]): ToolDefinition => ({
    name,
    inputSchema: {},
    ...(loading === undefined ? {} : { loading }),
  });
  const loading = (tools: readonly ToolDefinition[]) => tools.map((one) => one.loading ?? "head");
  const counted = { countTokens: () => 100, before: [] };

  test("defers tools if all of them together are above the limit", () => {
    const tools = [tool("a"), tool("b", "when-large"), tool("c", "when-large"), tool("d", "deferred")];
    expect(loading(planDeferral(tools, { ...counted, aboveTokens: 200 }))).toEqual([
      "head",
      "head",
      "head",
      "deferred",
    ]);
    expect(loading(planDeferral(tools, { ...counted, aboveTokens: 199 }))).toEqual([
      "head",
      "deferred",
      "deferred",
      "deferred",
    ]);
  });

  test("keeps deferring tools in a session that has deferred them", () => {
    const before = [tool("b", "deferred")];
    expect(loading(planDeferral([tool("b", "when-large")], { ...counted, before, aboveTokens: 1_000 }))).toEqual([
      "deferred",
    ]);
  });
});

describe("searchTools", () => {
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

  test("returns the definitions of tools that match by name or by words", () => {
    expect(search({ names: ["read_calendar"] })).toEqual(["read_calendar"]);
    expect(search({ query: "letter" })).toEqual(["send_mail"]);
  });

  test("does not load a loaded tool again, unless its definition has changed", () => {
    expect(search({ names: ["send_mail", "read_calendar"] }, mail)).toEqual(["read_calendar"]);
    expect(search({ names: ["send_mail"] }, mail)).toEqual(["Loaded already: send_mail."]);
    expect(search({ names: ["send_mail"] }, { ...mail, description: "Sends." })).toEqual(["send_mail"]);
  });

  test.each([[{ names: ["other"] }], [{ query: "zebra" }], [{ names: 7 }], ["send_mail"], [undefined]])(
    "lists all tools if a search finds none: %j",
    (input) => {
      const [words, ...more] = search(input);
      expect(more).toEqual([]);
      expect(words).toMatch(/No tool.*send_mail, read_calendar/);
    },
  );
});
