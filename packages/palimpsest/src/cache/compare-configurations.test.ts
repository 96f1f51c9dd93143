import { describe, expect, test } from "vitest";
import type { CacheEffects } from "../log/cause.ts";
import { NO_FEATURES } from "../tokens/features.ts";
import type { Configuration } from "../view/view.ts";
import { compareConfigurations } from "./compare-configurations.ts";

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } });
const before: Configuration = {
  entry: 1,
  systemHeldBy: 1,
  toolsHeldBy: 1,
  provider: "p",
  model: "m",
  system: "Be brief.",
  tools: [tool("a"), tool("b"), tool("c")],
  settings: { effort: "low", stop: ["."] },
  features: NO_FEATURES,
};
const effects: CacheEffects = { settings: { effort: "effort", stop: "nothing" }, images: "nothing" };
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
    ["a known setting", { settings: { effort: "high" } }, ["effort: effort"]],
    ["a setting of no effect", { settings: { effort: "low", stop: [] } }, []],
    ["an unknown setting", { settings: { ...before.settings, novelty: 1 } }, ["settings: novelty"]],
    ["tools of the service", { settings: { ...before.settings, tools: [{}] } }, ["tools: tools"]],
    ["a setting with an odd name", { settings: { ...before.settings, constructor: 1 } }, ["settings: constructor"]],
  ])("differ by %s", (_, now, expected) => {
    expect(changes(now)).toEqual(expected);
  });

  test("several differences are all named", () => {
    expect(changes({ model: "n", system: "", tools: [], settings: {} })).toEqual([
      "model",
      "tools: removed a: removed b: removed c",
      "system",
      "effort: effort",
    ]);
  });
});
