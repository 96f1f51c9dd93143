import { readSettings } from "palimpsest";
import { describe, expect, test } from "vitest";
import { withVariablesOfOthers } from "./engine-settings.ts";

async function settingsFor(environment: Readonly<Record<string, string>>) {
  return (await readSettings({ settingsFrom: { environment: withVariablesOfOthers(environment) } })).settings;
}

describe("other programs' variables", () => {
  test.each(["1", "true", "YES", " on "])("DISABLE_AUTO_COMPACT=%s switches compaction off", async (value) => {
    expect((await settingsFor({ DISABLE_AUTO_COMPACT: value }))["compaction.auto"]).toBe("off");
  });

  test.each([
    [{ DISABLE_COMPACT: "1" }, "off", "on", "on"],
    [{ DISABLE_AUTO_COMPACT: "1" }, "on", "off", "on"],
    [{ DISABLE_MICROCOMPACT: "1" }, "on", "on", "off"],
    [{ DISABLE_COMPACT: "1", DISABLE_AUTO_COMPACT: "1", DISABLE_MICROCOMPACT: "1" }, "off", "off", "off"],
    [{ DISABLE_COMPACT: "1", DISABLE_AUTO_COMPACT: "0" }, "off", "on", "on"],
    [{ DISABLE_COMPACT: "0", DISABLE_AUTO_COMPACT: "1" }, "on", "off", "on"],
    [{ DISABLE_COMPACT: "1", PALIMPSEST_COMPACTION_ENABLED: "on" }, "on", "on", "on"],
    [{ DISABLE_COMPACT: "0", PALIMPSEST_COMPACTION_ENABLED: "off" }, "off", "on", "on"],
    [{ DISABLE_AUTO_COMPACT: "1", PALIMPSEST_COMPACTION_AUTO: "ask" }, "on", "ask", "on"],
    [{ DISABLE_COMPACT: "maybe" }, "on", "on", "on"],
  ])("%j: each has its own setting, and ours is stronger", async (environment, enabled, auto, clearing) => {
    const settings = await settingsFor(environment as Record<string, string>);
    expect(settings["compaction.enabled"]).toBe(enabled);
    expect(settings["compaction.auto"]).toBe(auto);
    expect(settings["clearing.enabled"]).toBe(clearing);
  });

  test("reads another agent's percentage if ours is not set", async () => {
    const name = "compaction.autoPercent";
    expect((await settingsFor({ SOME_AUTOCOMPACT_PCT_OVERRIDE: "60" }))[name]).toBe(60);
    const both = { SOME_AUTOCOMPACT_PCT_OVERRIDE: "60", PALIMPSEST_AUTOCOMPACT_PCT: "70" };
    expect((await settingsFor(both))[name]).toBe(70);
  });
});
