import { expect, test } from "vitest";
import { mergeSettings, readModels, readSettings } from "./settings.ts";

test("windows, limits and prices are read; what cannot be used is named and left out", () => {
  const json = JSON.stringify({
    models: {
      llama: { windowTokens: 8_192, maxOutputTokens: 2_000.5, prices: { input: 1, output: 2 } },
      odd: { windowTokens: "many", windowTokenz: 5, prices: { input: 1 } },
    },
  });
  const { settings, problems } = readSettings(json, "user");
  expect(settings.models).toEqual({
    llama: {
      windowTokens: 8_192,
      maxOutputTokens: 2_000,
      prices: { input: 1, output: 2, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 },
    },
    odd: {},
  });
  expect(problems.join("\n")).toMatch(/models\.odd\.windowTokens: .*number/);
  expect(problems.join("\n")).toMatch(/models\.odd\.windowTokenz: .*Did you mean windowTokens/);
  expect(problems.join("\n")).toMatch(/models\.odd\.prices: it has no output/);
});

test("a model may cost nothing; a price below that is none, and a window has at least one token", () => {
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  expect(readModels({ own: { prices: { input: 0, output: 0 } } })).toEqual({ own: { prices: free } });
  const whole = { input: 1, output: 2, cacheRead: 3, cacheWrite5m: 4, cacheWrite1h: 5 };
  expect(readModels({ own: { prices: whole, effort: "levels" } })).toEqual({
    own: { prices: whole, effort: "levels" },
  });
  expect(
    readModels({ own: { prices: { input: -1, output: 0 }, windowTokens: 0, maxInputTokens: 1, effort: "x" } }),
  ).toEqual({
    own: { maxInputTokens: 1 },
  });
  expect(readModels({ own: { prices: { input: 1, output: 2, cacheWrite5m: 4 } } })["own"]?.prices).toMatchObject({
    cacheRead: 1,
    cacheWrite1h: 4,
  });
});

test("a project does not say what models are", () => {
  const project = readSettings('{"models":{"llama":{"windowTokens":1}}}', "project");
  expect(project.problems.join()).toContain("models");
  const { settings } = mergeSettings({ project: project.settings, trust: "trusted" });
  expect(settings.models).toEqual({});
  expect(readModels(undefined)).toEqual({});
});
