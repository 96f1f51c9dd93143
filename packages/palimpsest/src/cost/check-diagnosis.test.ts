import { expect, test } from "vitest";
import type { CacheDiagnosis, Cause } from "../log/cause.ts";
import { checkDiagnosis } from "./misses.ts";

test.each<[Cause[], CacheDiagnosis["reason"], "agrees" | "differs" | undefined]>([
  [["model"], "model", "agrees"],
  [["tools", "replace"], "tools", "agrees"],
  [["pause", "system"], "system", "agrees"],
  [["replace"], "messages", "agrees"],
  [["effort"], "parameters", "agrees"],
  [["parameters"], "messages", "agrees"],
  [["earlier-thinking"], "messages", "agrees"],
  [["pause"], "nowhere", "agrees"],
  [["server"], "messages", "differs"],
  [["replace"], "tools", "differs"],
  [["replace"], "unknown", undefined],
])("%j and a provider that says %s: %s", (causes, reason, verdict) => {
  expect(checkDiagnosis(causes, { reason })).toBe(verdict);
});
