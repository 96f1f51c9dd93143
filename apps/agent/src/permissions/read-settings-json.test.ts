import { expect, test } from "vitest";
import { MAX_SETTINGS_BYTES, readSettingsJson } from "./settings.ts";

const nested = (levels: number, open = "[", close = "]") => open.repeat(levels) + close.repeat(levels);

test.each([
  ["{}", {}],
  ["null", null],
  [" [1, 2]\n", [1, 2]],
  // Brackets in texts nest nothing, and neither do quotes in them.
  [JSON.stringify({ a: "[".repeat(100) }), { a: "[".repeat(100) }],
  [JSON.stringify({ a: `\\"${"[".repeat(100)}` }), { a: `\\"${"[".repeat(100)}` }],
  // Many beside each other are not deep.
  [`[${"[],".repeat(100)}{}]`, [...Array.from({ length: 100 }, () => []), {}]],
])("settings are read: %.40s", (json, value) => {
  expect(readSettingsJson(json)).toEqual({ value });
});

test("what is nested too deeply, too long or no JSON is refused, and it is said why", () => {
  expect(readSettingsJson(nested(32))).toHaveProperty("value");
  expect(readSettingsJson(nested(33))).toEqual({ problem: expect.stringContaining("32") });
  expect(readSettingsJson(nested(33, '{"a":', "}"))).toEqual({ problem: expect.stringContaining("32") });
  expect(readSettingsJson(nested(100_000))).toEqual({ problem: expect.stringContaining("32") });
  const most = JSON.stringify("x".repeat(MAX_SETTINGS_BYTES - 2));
  expect(readSettingsJson(most)).toHaveProperty("value");
  expect(readSettingsJson(`${most} `)).toEqual({ problem: expect.stringContaining(String(most.length + 1)) });
  expect(MAX_SETTINGS_BYTES).toBe(2 ** 20);
  for (const json of ["", "{", '{"a"}', "]"])
    expect([json, readSettingsJson(json)]).toEqual([json, { problem: expect.stringMatching(/JSON/) }]);
});
