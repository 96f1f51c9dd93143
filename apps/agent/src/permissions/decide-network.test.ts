import { expect, test } from "vitest";
import { decideNetwork, isDeniedHost } from "./decide-permission.ts";
import type { PermissionCall } from "./permission-call.ts";
import { type Rule, readRule } from "./rule.ts";

const BASE = { folder: "/work/project", home: "/home/user" };

/** A command in the sandbox that names the hosts it wants to reach. */
function reaching(hosts: PermissionCall["hosts"]): PermissionCall {
  return { tool: "Bash", effect: "run", paths: [], place: "none", enclosure: "sandbox", base: BASE, hosts };
}

const allow = (text: string): Rule => readRule(text, "allow", "user")!;
const deny = (text: string): Rule => readRule(text, "deny", "user")!;

test("what reaches nothing needs no rule", () => {
  expect(decideNetwork("default", [], reaching([])).decision).toBe("allow");
});

test("every host that a call names needs a rule", () => {
  const rules = [allow("Network(*.npmjs.org)"), allow("Network(github.com)")];
  const decide = (...hosts: readonly string[]) => decideNetwork("default", rules, reaching(hosts)).decision;
  expect(decide("registry.npmjs.org")).toBe("allow");
  expect(decide("registry.npmjs.org", "GitHub.com")).toBe("allow");
  expect(decide("registry.npmjs.org", "elsewhere.example")).toBe("ask");
  expect(decide("elsewhere.example", "github.com")).toBe("ask");
  expect(decideNetwork("default", rules, reaching("any")).decision).toBe("ask");
});

test("a rule that denies one of the hosts denies the call, whatever allows the others", () => {
  const rules = [allow("Network"), deny("Network(*.example)")];
  expect(decideNetwork("bypass", rules, reaching(["github.com", "a.example"])).decision).toBe("deny");
  expect(decideNetwork("default", rules, reaching(["github.com"])).decision).toBe("allow");
  expect(isDeniedHost(rules, "a.example")).toBe(true);
  expect(isDeniedHost(rules, "github.com")).toBe(false);
});
