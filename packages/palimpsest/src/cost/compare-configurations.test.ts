import { describe, expect, test } from "vitest";
import type { CacheEffects } from "../log/cause.ts";
import { NO_FEATURES } from "../size/features.ts";
import type { Configuration } from "../view/view.ts";
import { compareConfigurations } from "./misses.ts";

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } });
const before: Configuration = {
  entry: 1,
  systemHeldBy: 1,
  toolsHeldBy: 1,
  provider: "p",
  model: "m",
  system: "Be brief.",
  tools: [tool("a"), tool("b"), tool("c")],
  parameters: { effort: "low", stop: ["."] },
  features: NO_FEATURES,
};
const effects: CacheEffects = { parameters: { effort: "effort", stop: "nothing" }, images: "nothing" };
const changes = (now: Partial<Configuration>) =>
  compareConfigurations(before, { ...before, entry: 9, toolsHeldBy: 9, ...now }, effects).map(({ cause, what = [] }) =>
    [cause, ...what].join(": "),
  );

describe("two configurations", () => {
  test("that say the same do not differ, whichever entries hold them", () => {
    expect(changes({ systemHeldBy: 9 })).toEqual([]);
  });

  test.each<[string, Partial<Configuration>, string[]]>([
    ["model", { model: "n" }, ["model"]],
    ["provider", { provider: "q" }, ["provider"]],
    ["system", { system: "Be kind." }, ["system"]],
    ["a tool more", { tools: [...before.tools, tool("d")] }, ["tools: added d"]],
    ["a tool less", { tools: before.tools.slice(1) }, ["tools: removed a"]],
    ["another tool", { tools: before.tools.with(1, tool("b", "new")) }, ["tools: changed b"]],
    ["another order", { tools: before.tools.toReversed() }, ["tools: reordered"]],
    ["a known setting", { parameters: { effort: "high" } }, ["effort: effort"]],
    ["a setting of no effect", { parameters: { effort: "low", stop: [] } }, []],
    ["an unknown setting", { parameters: { ...before.parameters, novelty: 1 } }, ["parameters: novelty"]],
    ["tools of the service", { parameters: { ...before.parameters, tools: [{}] } }, ["tools: tools"]],
    [
      "a setting with an odd name",
      { parameters: { ...before.parameters, constructor: 1 } },
      ["parameters: constructor"],
    ],
  ])("differ by %s", (_, now, expected) => {
    expect(changes(now)).toEqual(expected);
  });

  test("several differences are all named", () => {
    expect(changes({ model: "n", system: "", tools: [], parameters: {} })).toEqual([
      "model",
      "tools: removed a: removed b: removed c",
      "system",
      "effort: effort",
    ]);
  });
});
