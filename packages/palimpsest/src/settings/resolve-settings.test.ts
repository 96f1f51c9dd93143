import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROFILES } from "./profiles.ts";
import { resolveSettings, variableOf } from "./resolve-settings.ts";
import { SETTINGS, type SettingName } from "./settings.ts";

const settingOf = (name: SettingName, sources: Parameters<typeof resolveSettings>[0]): unknown =>
  resolveSettings(sources).settings[name];

describe("settings", () => {
  test("are the defaults when nothing is said, frozen", () => {
    const { settings, problems } = resolveSettings({});
    expect(settings["clearing.paybackRequests"]).toBe(20);
    expect(Object.isFrozen(settings)).toBe(true);
    expect(problems).toEqual([]);
  });

  test("come from file, flags and environment; the later beats the earlier", () => {
    const name = "clearing.keepNewest";
    expect(settingOf(name, { file: { [name]: 4 } })).toBe(4);
    expect(settingOf(name, { file: { [name]: 4 }, flags: { [name]: 5 } })).toBe(5);
    const environment = { PALIMPSEST_CLEARING_KEEP_NEWEST: "6" };
    expect(settingOf(name, { file: { [name]: 4 }, flags: { [name]: 5 }, environment })).toBe(6);
  });

  test("a profile sets what no other source sets, whatever source names the profile", () => {
    const name = "compaction.economicFromTokens";
    expect(settingOf(name, {})).toBe(100_000);
    expect(settingOf(name, { file: { profile: "economy" } })).toBe(60_000);
    expect(settingOf(name, { file: { profile: "economy" }, environment: { PALIMPSEST_PROFILE: "quality" } })).toBe(
      250_000,
    );
    expect(settingOf(name, { file: { [name]: 70_000 }, flags: { profile: "quality" } })).toBe(70_000);
    const unknown = resolveSettings({ file: { profile: "thrifty" } });
    expect(unknown.problems).toMatchObject([{ name: "profile", value: "thrifty" }]);
    expect(unknown.settings).toEqual(resolveSettings({}).settings);
  });

  test.each(Object.entries(PROFILES))("the values of profile %s are values of their settings", (_, { values }) => {
    expect(resolveSettings({ file: values }).problems).toEqual([]);
  });

  test.each(["1", "true", "YES", " on "])("DISABLE_AUTO_COMPACT=%s switches off", (value) => {
    expect(settingOf("compaction.auto", { environment: { DISABLE_AUTO_COMPACT: value } })).toBe("off");
  });

  test.each(["0", "false", "No", "off"])("DISABLE_COMPACT=%s beats a file that switches off", (value) => {
    const sources = { file: { "compaction.enabled": "off" }, environment: { DISABLE_COMPACT: value } };
    expect(settingOf("compaction.enabled", sources)).toBe("on");
  });

  test("the percentage has a name of its own and is read from another agent's, if ours is not set", () => {
    const name = "compaction.autoPercent";
    expect(settingOf(name, { environment: { SOME_AUTOCOMPACT_PCT_OVERRIDE: "60" } })).toBe(60);
    const both = { SOME_AUTOCOMPACT_PCT_OVERRIDE: "60", PALIMPSEST_AUTOCOMPACT_PCT: "70" };
    expect(settingOf(name, { environment: both })).toBe(70);
    expect(settingOf(name, { environment: { PALIMPSEST_AUTOCOMPACT_PCT: "120" } })).toBe(100);
  });

  test("lists and tables can be given in a variable", () => {
    const environment = {
      PALIMPSEST_CLEARING_TOOLS: "Read, Bash",
      PALIMPSEST_TOOL_RESULTS_THRESHOLD_BY_TOOL: "Read=1000,Bash=2000",
      PALIMPSEST_CLEARING_BY_TIME: "no",
    };
    const { settings } = resolveSettings({ environment });
    expect(settings["clearing.tools"]).toEqual(["Read", "Bash"]);
    expect(settings["toolResults.thresholdByTool"]).toEqual({ Read: 1_000, Bash: 2_000 });
    expect(settings["clearing.byTime"]).toBe("off");
  });

  test.each<[string, unknown]>([
    ["clearing.keepNewest", 0],
    ["clearing.keepNewest", "3"],
    ["clearing.policy", "guess"],
    ["clearing.tools", "Read"],
    ["toolResults.thresholdByTool", { Read: -1 }],
    ["compaction.autoPercent", 0],
    ["no.such.setting", 1],
    ["__proto__x", 1],
  ])("%s: %j is told and not used", (name, value) => {
    const { settings, problems } = resolveSettings({ file: { [name]: value } });
    expect(problems).toMatchObject([{ source: "file", name, value }]);
    expect(settings).toEqual(resolveSettings({}).settings);
  });

  test("a file may name its schema", () => {
    const { problems } = resolveSettings({ file: { $schema: "./engine.schema.json", "clearing.keepNewest": 4 } });
    expect(problems).toEqual([]);
  });

  test("whatever a file holds, every setting has a value of its kind", () => {
    const names = fc.oneof(fc.constantFrom(...Object.keys(SETTINGS)), fc.string());
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), (file) => {
        const { settings } = resolveSettings({ file });
        expect(resolveSettings({ file: settings }).problems).toEqual([]);
      }),
    );
  });

  test("every setting has a variable of its own", () => {
    const variables = (Object.keys(SETTINGS) as SettingName[]).map(variableOf);
    expect(new Set(variables).size).toBe(variables.length);
  });
});
