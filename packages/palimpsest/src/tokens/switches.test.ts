import { expect, test } from "vitest";
import { readSwitches } from "./switches.ts";

test("everything is on by default", () => {
  expect(readSwitches({})).toEqual({ compaction: "on", autoCompaction: "on", microcompaction: "on" });
});

test.each(["1", "true", "YES", "On"])("%s switches off", (value) => {
  expect(readSwitches({ DISABLE_AUTO_COMPACT: value })).toMatchObject({ compaction: "on", autoCompaction: "off" });
  expect(readSwitches({ DISABLE_MICROCOMPACT: value })).toMatchObject({ microcompaction: "off", autoCompaction: "on" });
});

test.each(["", "2", "maybe"])("%j says nothing", (value) => {
  expect(readSwitches({ DISABLE_COMPACT: value, DISABLE_AUTO_COMPACT: value })).toEqual(readSwitches({}));
});

test("no compaction at all includes the automatic one", () => {
  expect(readSwitches({ DISABLE_COMPACT: "1" })).toMatchObject({ compaction: "off", autoCompaction: "off" });
});

test("the environment beats the setting, both ways", () => {
  expect(readSwitches({}, { autoCompactEnabled: false }).autoCompaction).toBe("off");
  expect(readSwitches({ DISABLE_AUTO_COMPACT: "1" }, { autoCompactEnabled: true }).autoCompaction).toBe("off");
  expect(readSwitches({ DISABLE_AUTO_COMPACT: "0" }, { autoCompactEnabled: false }).autoCompaction).toBe("on");
});

test("our name of the percentage comes before another agent's", () => {
  expect(readSwitches({ OTHER_AUTOCOMPACT_PCT_OVERRIDE: "70" }).autoCompactPercent).toBe(70);
  const both = { OTHER_AUTOCOMPACT_PCT_OVERRIDE: "70", PALIMPSEST_AUTOCOMPACT_PCT: "50.5" };
  expect(readSwitches(both).autoCompactPercent).toBe(50.5);
});

test.each(["0", "-1", "100.1", "NaN", "much", ""])("%j is no percentage", (value) => {
  expect(readSwitches({ PALIMPSEST_AUTOCOMPACT_PCT: value })).not.toHaveProperty("autoCompactPercent");
});
