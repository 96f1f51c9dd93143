import { expect, test } from "vitest";
import { readModels } from "./read-models.ts";
import { mergeSettings, readSettings } from "./settings.ts";

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

test("a project does not say what models are", () => {
  const project = readSettings('{"models":{"llama":{"windowTokens":1}}}', "project");
  expect(project.problems.join()).toContain("models");
  const { settings } = mergeSettings({ project: project.settings, trust: "trusted" });
  expect(settings.models).toEqual({});
  expect(readModels(undefined)).toEqual({});
});
