import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROFILES, SETTINGS } from "./definitions.ts";
import { nearestName, parseSetting, resolveSettings, variableOf } from "./resolve.ts";
import type { SettingName } from "./settings.ts";

const settingOf = (name: SettingName, sources: Parameters<typeof resolveSettings>[0]): unknown =>
  resolveSettings(sources).settings[name];

describe("settings", () => {
  test("are the frozen defaults if no source has a value", () => {
    const { settings, problems } = resolveSettings({});
    expect(settings["clearing.paybackRequests"]).toBe(20);
    expect(Object.isFrozen(settings)).toBe(true);
    expect(problems).toEqual([]);
  });

  test("come from the strongest of code, variables, flags, file, profile and defaults", () => {
    const name = "compaction.economicFromTokens";
    const strongestFirst: readonly Parameters<typeof resolveSettings>[0][] = [
      { code: { [name]: 1 } },
      { environment: { PALIMPSEST_COMPACTION_ECONOMIC_FROM_TOKENS: "2" } },
      { flags: { [name]: 3 } },
      { file: { [name]: 4 } },
      { file: { profile: "economy" } },
      {},
    ];
    const held = strongestFirst.map((_, index) => {
      const given = strongestFirst.slice(index).toReversed();
      const files = Object.assign({}, ...given.map(({ file }) => file));
      return settingOf(name, Object.assign({}, ...given, { file: files }));
    });
    expect(held).toEqual([1, 2, 3, 4, 60_000, 100_000]);
  });

  test("have an origin for each value that is not a default", () => {
    const { origins } = resolveSettings({
      file: { profile: "economy", "cache.ttl": "1h" },
      environment: { PALIMPSEST_CACHE_TTL: "5m" },
    });
    expect(origins).toEqual({
      profile: "file",
      "cache.ttl": "environment",
      "compaction.economicFromTokens": "profile",
      "compaction.economicInTurnFromTokens": "profile",
      "compaction.quotedLinesTokens": "profile",
    });
  });

  test("come from a profile if no other source sets them, whatever source selects the profile", () => {
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

  test.each(Object.entries(PROFILES))("accept the values of the profile %s", (_, { values }) => {
    expect(resolveSettings({ file: values }).problems).toEqual([]);
  });

  test("prefer the long variable of the percentage to the short one", () => {
    const name = "compaction.autoPercent";
    expect(settingOf(name, { environment: { PALIMPSEST_AUTOCOMPACT_PCT: "70" } })).toBe(70);
    const both = { PALIMPSEST_AUTOCOMPACT_PCT: "70", PALIMPSEST_COMPACTION_AUTO_PERCENT: "60" };
    expect(settingOf(name, { environment: both })).toBe(60);
  });

  test("ignore other programs' variables", () => {
    const environment = {
      DISABLE_COMPACT: "1",
      DISABLE_AUTO_COMPACT: "1",
      DISABLE_MICROCOMPACT: "1",
      SOME_AUTOCOMPACT_PCT_OVERRIDE: "60",
    };
    expect(resolveSettings({ environment })).toEqual(resolveSettings({}));
  });

  test("read lists and tables from a variable", () => {
    const environment = {
      PALIMPSEST_CLEARING_KEEP_TOOLS: "Read, Bash",
      PALIMPSEST_TOOL_RESULTS_THRESHOLD_BY_TOOL: "Read=1000,Bash=2000",
      PALIMPSEST_CLEARING_BY_TIME: "no",
    };
    const { settings } = resolveSettings({ environment });
    expect(settings["clearing.keepTools"]).toEqual(["Read", "Bash"]);
    expect(settings["toolResults.thresholdByTool"]).toEqual({ Read: 1_000, Bash: 2_000 });
    expect(settings["clearing.byTime"]).toBe("off");
  });

  test.each<[string, unknown]>([
    ["clearing.keepNewest", 0],
    ["clearing.keepNewest", "3"],
    ["clearing.policy", "guess"],
    ["clearing.keepTools", "Read"],
    ["toolResults.thresholdByTool", { Read: -1 }],
    ["compaction.autoPercent", 0],
    ["no.such.setting", 1],
    ["__proto__x", 1],
  ])("%s: report %j and do not use it", (name, value) => {
    const { settings, problems } = resolveSettings({ file: { [name]: value } });
    expect(problems).toMatchObject([{ source: "file", name, value }]);
    expect(settings).toEqual(resolveSettings({}).settings);
  });

  test.each([
    [
      { file: { "compaction.atuo": "off" } },
      'Unknown setting "compaction.atuo" in the settings file. Did you mean "compaction.auto"?',
    ],
    [
      { flags: { "no.such": 1 } },
      'Unknown setting "no.such" in the flag service. docs/defaults.md lists all settings.',
    ],
    [
      { code: { "clearing.keepNewest": 0 } },
      'Setting "clearing.keepNewest" is 0. It must be a whole number, at least 1.',
    ],
    [
      { environment: { PALIMPSEST_COMPACTION_AUTO: "sometimes" } },
      'Setting "compaction.auto" is "sometimes" in the variable PALIMPSEST_COMPACTION_AUTO. It must be one of "on", "ask", "off".',
    ],
    [
      { environment: { PALIMPSEST_CLEARING_KEEP_NEWEST: "many" } },
      'Setting "clearing.keepNewest" is NaN in the variable PALIMPSEST_CLEARING_KEEP_NEWEST. It must be a whole number, at least 1.',
    ],
    [
      { environment: { PALIMPSEST_COMPACTION_ATUO: "off" } },
      "Unknown variable PALIMPSEST_COMPACTION_ATUO. Did you mean PALIMPSEST_COMPACTION_AUTO?",
    ],
    [
      { environment: { PALIMPSEST_CLEARING_SOMETIMES: "1" } },
      "Unknown variable PALIMPSEST_CLEARING_SOMETIMES. docs/defaults.md lists all variables.",
    ],
    [{ file: [] }, "The settings file was ignored. It must be a JSON object of names and values."],
  ])("%j: have a message that says what to write instead", (sources, message) => {
    expect(resolveSettings(sources).problems.map((problem) => problem.message)).toEqual([message]);
  });

  test("ignore a host program's variables that share the engine's prefix", () => {
    const environment = {
      PALIMPSEST_HOME: "/h",
      PALIMPSEST_SEED: "1",
      PALIMPSEST_CACHE: "/c",
      PALIMPSEST_TRACES: "/t",
    };
    expect(resolveSettings({ environment }).problems).toEqual([]);
  });

  test("allow `$schema` in a file", () => {
    const { problems } = resolveSettings({ file: { $schema: "./engine.schema.json", "clearing.keepNewest": 4 } });
    expect(problems).toEqual([]);
  });

  test("have valid values for any content of the file", () => {
    const names = fc.oneof(fc.constantFrom(...Object.keys(SETTINGS)), fc.string());
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), (file) => {
        const { settings } = resolveSettings({ file });
        expect(resolveSettings({ file: settings }).problems).toEqual([]);
      }),
    );
  });

  test("have a separate variable each", () => {
    const variables = (Object.keys(SETTINGS) as SettingName[]).map(variableOf);
    expect(new Set(variables).size).toBe(variables.length);
  });
});

test.each([
  ["compaction.auto=ask", { "compaction.auto": "ask" }],
  ["clearing.enabled=no", { "clearing.enabled": "off" }],
  ["clearing.keepNewest= 4 ", { "clearing.keepNewest": 4 }],
  ["clearing.providerInputTools=Read, Bash", { "clearing.providerInputTools": ["Read", "Bash"] }],
  ["toolResults.thresholdByTool=Read=10,Bash=20", { "toolResults.thresholdByTool": { Read: 10, Bash: 20 } }],
])("parseSetting reads %s", (text, settings) => {
  expect(parseSetting(text)).toEqual({ kind: "setting", settings });
});

test.each([
  ["compaction.atuo=ask", 'Unknown setting "compaction.atuo". Did you mean "compaction.auto"?'],
  ["compaction.auto=never", 'Setting "compaction.auto" is "never". It must be one of "on", "ask", "off".'],
  ["compaction.auto", "Write the name of a setting, =, and its value."],
])("parseSetting reports a problem: %s", (text, message) => {
  expect(parseSetting(text)).toEqual({ kind: "problem", message });
});

test.each([
  ["compaction.atuo", "compaction.auto"],
  ["Compaction.Auto", "compaction.auto"],
  ["clearing.keepNewst", "clearing.keepNewest"],
  ["cache.tll", "cache.ttl"],
  ["colour", undefined],
])("nearestName finds for %s the name %s", (typed, meant) => {
  expect(nearestName(typed, Object.keys(SETTINGS))).toBe(meant);
});
