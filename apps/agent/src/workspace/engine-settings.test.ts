import { readSettings } from "palimpsest";
import { describe, expect, test } from "vitest";
import { withVariablesOfOthers } from "./engine-settings.ts";

async function settingsFor(environment: Readonly<Record<string, string>>) {
  return (await readSettings({ settingsFrom: { environment: withVariablesOfOthers(environment) } })).settings;
}

describe("other programs' variables", () => {
  test.each(["1", "true", "YES", " on "])("DISABLE_AUTO_COMPACT=%s switches compaction off", async (value) => {
    expect((await settingsFor({ DISABLE_AUTO_COMPACT: value })).compaction).toBe("off");
  });

  test.each([
    [{ DISABLE_COMPACT: "1" }, "off"],
    [{ DISABLE_AUTO_COMPACT: "1" }, "off"],
    [{ DISABLE_COMPACT: "1", DISABLE_AUTO_COMPACT: "0" }, "off"],
    [{ DISABLE_COMPACT: "0", DISABLE_AUTO_COMPACT: "1" }, "off"],
    [{ DISABLE_COMPACT: "0", DISABLE_AUTO_COMPACT: "0" }, "auto"],
    [{ DISABLE_COMPACT: "1", PALIMPSEST_COMPACTION: "ask" }, "ask"],
    [{ DISABLE_COMPACT: "maybe" }, "auto"],
  ])("%j: any of them switches compaction off, and our own variable is stronger", async (environment, compaction) => {
    expect((await settingsFor(environment as Record<string, string>)).compaction).toBe(compaction);
  });

  test("reads another agent's percentage if ours is not set", async () => {
    expect((await settingsFor({ SOME_AUTOCOMPACT_PCT_OVERRIDE: "60" })).compactAt).toBe(60);
    const both = { SOME_AUTOCOMPACT_PCT_OVERRIDE: "60", PALIMPSEST_AUTOCOMPACT_PCT: "70" };
    expect((await settingsFor(both)).compactAt).toBe(70);
  });
});
