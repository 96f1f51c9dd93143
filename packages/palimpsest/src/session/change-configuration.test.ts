import { expect, test } from "vitest";
import { resolveConfiguration } from "../view/items.ts";
import { changeConfiguration } from "./configure.ts";

const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
const opened = changeConfiguration(undefined, {
  provider: "p",
  model: "m",
  system: "Be brief.",
  tools: [tool("a"), tool("b")],
})!;
const before = resolveConfiguration(1, opened, undefined)!;
const wanted = { provider: "p", model: "m" };

test("the first one holds everything", () => {
  expect(opened).toEqual({
    provider: "p",
    model: "m",
    system: { value: "Be brief." },
    tools: { value: [tool("a"), tool("b")] },
    parameters: {},
    cause: "opened",
  });
});

test("what is left out stays as it is, and nothing changes if nothing is new", () => {
  expect(changeConfiguration(before, wanted)).toBeUndefined();
  expect(changeConfiguration(before, { ...wanted, system: "Be brief.", parameters: {} })).toBeUndefined();
});

test("only what is new is written again; the rest is held by the entry in which it stands", () => {
  expect(changeConfiguration(before, { ...wanted, model: "n", system: "Be kind." })).toEqual({
    provider: "p",
    model: "n",
    system: { value: "Be kind." },
    tools: { heldBy: 1 },
    parameters: {},
    cause: "model, system changed",
  });
});

test("tools keep the order in which they were sent before; new ones come last", () => {
  expect(changeConfiguration(before, { ...wanted, tools: [tool("b"), tool("a")] })).toBeUndefined();
  const more = changeConfiguration(before, { ...wanted, tools: [tool("c"), tool("b"), tool("a")] });
  expect(more?.tools).toEqual({ value: [tool("a"), tool("b"), tool("c")] });
});
