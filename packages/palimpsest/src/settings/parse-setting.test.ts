import { expect, test } from "vitest";
import { parseSetting } from "./resolve.ts";

test.each([
  ["compaction.auto=ask", { "compaction.auto": "ask" }],
  ["clearing.enabled=no", { "clearing.enabled": "off" }],
  ["clearing.keepNewest= 4 ", { "clearing.keepNewest": 4 }],
  ["clearing.providerInputTools=Read, Bash", { "clearing.providerInputTools": ["Read", "Bash"] }],
  ["toolResults.thresholdByTool=Read=10,Bash=20", { "toolResults.thresholdByTool": { Read: 10, Bash: 20 } }],
])("%s", (text, settings) => {
  expect(parseSetting(text)).toEqual({ kind: "setting", settings });
});

test.each([
  ["compaction.atuo=ask", 'Unknown setting "compaction.atuo". Did you mean "compaction.auto"?'],
  ["compaction.auto=never", 'Setting "compaction.auto" is "never". It must be one of "on", "ask", "off".'],
  ["compaction.auto", "Write the name of a setting, =, and its value."],
])("%s is a problem", (text, message) => {
  expect(parseSetting(text)).toEqual({ kind: "problem", message });
});
