import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Sandbox } from "../sandbox/open-sandbox.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { placesOf } from "../workspace/places.ts";
import { saveAllowed } from "./attended-permission.ts";
import { loadSettings } from "./load-settings.ts";
import { explainCall, type HeldPermissions, listPermissions, removePermission } from "./review-permissions.ts";

async function setUp(settings?: string) {
  const { folder, home } = temporaryProject(settings === undefined ? {} : { ".palimpsest/settings.json": settings });
  const places = placesOf(folder, { HOME: home });
  const guard = await createPathGuard(folder);
  const load = async (): Promise<HeldPermissions> => {
    const { settings } = await loadSettings({ guard, agentHome: places.agentHome });
    const { rules, mode } = settings;
    return { mode, rules: [...rules], settings, sandbox: { kind: "none", reason: "there is none." }, guard, places };
  };
  return { places, load };
}

test("rules are listed with where they come from, and removed from there", async () => {
  const { places, load } = await setUp(JSON.stringify({ permissions: { deny: ["Read(.env)"] } }));
  await saveAllowed(places.agentHome, ["Bash(npm test *)"]);
  await saveAllowed(places.project, ["Bash(make)", "Bash(npm test *)"]);
  const held = await load();
  expect(listPermissions(held).split("\n")).toEqual([
    expect.stringMatching(/^Mode auto: /),
    "deny   Read(.env)        the project's .palimpsest/settings.json",
    "allow  Bash(npm test *)  your settings.json, everywhere",
    "allow  Bash(make)        your rules for this project",
    "allow  Bash(npm test *)  your rules for this project",
    "Sandbox none:",
    "  No sandbox: there is none. Commands have all your rights; none runs unless you allow it.",
  ]);
  expect((await removePermission("Bash(npm test *)", held)).split("\n")).toHaveLength(2);
  expect(await removePermission("deny Read(.env)", held)).toContain("is the project's own");
  expect(await removePermission("Bash(nothing)", held)).toContain("There is no rule");
  expect((await load()).rules.map(({ pattern }) => pattern)).toEqual(["make", ".env"]);
  expect(JSON.parse(readFileSync(join(places.project, "settings.json"), "utf8"))).toEqual({
    permissions: { allow: ["Bash(make)"] },
  });
  // Nothing of it lies in the repository.
  expect(existsSync(join(held.guard.roots[0]!, ".palimpsest/settings.local.json"))).toBe(false);
});

test("why a call is asked about, refused or run", async () => {
  const { load } = await setUp(JSON.stringify({ permissions: { deny: ["Read(.env)", "Bash(rm *)"] } }));
  const held = await load();
  const why = (wanted: string, about: Partial<HeldPermissions> = {}) => explainCall(wanted, { ...held, ...about });
  expect(await why("npm test")).toBe(
    "It is asked about (mode auto). It runs a command.\nThese rules would allow it: Bash(npm test *)",
  );
  expect(await why("sudo rm x")).toContain("It is refused (mode auto). A rule says so: deny Bash(rm *) (project).");
  expect(await why("Read(.env)")).toContain("It is refused");
  expect(await why("Edit(a.ts)", { mode: "accept-edits" })).toContain(
    "It runs without a question (mode accept-edits).",
  );
  // In a sandbox a command runs in the project by itself.
  const sandbox: Sandbox = {
    kind: "bubblewrap",
    policy: {} as never,
    enclose: () => Promise.reject(new Error()),
    extent: async () => "complete",
  };
  expect(await why("npm test", { sandbox })).toContain("It runs without a question (mode auto).");
  expect(await why("Bash(npm test)", { sandbox })).toContain("It runs without a question (mode auto).");
  expect(await why("Edit(a.ts)", { sandbox })).toContain("It runs without a question (mode auto).");
});

test("a rule is removed by what it decides, and no longer holds in the session", async () => {
  const { load } = await setUp();
  const held = await load();
  held.rules.push(
    ...(["allow", "ask"] as const).map(
      (decision) => ({ decision, tool: "Bash", pattern: "make", from: "session" }) as const,
    ),
  );
  expect(await removePermission(" ask Bash(make) ", held)).toMatch(/^Removed: ask Bash\(make\)/);
  expect(held.rules.map(({ decision }) => decision)).toEqual(["allow"]);
  expect(await removePermission("deny Bash(make)", held)).toContain("There is no rule");
  expect(await removePermission("Bash(make)", held)).toMatch(/^Removed: allow /);
  expect(held.rules).toEqual([]);
  expect(listPermissions(held)).toContain("no rules");
  // By default files are read and not written, and what runs anyway needs no rule.
  const why = (wanted: string) => explainCall(wanted, { ...held, mode: "default" });
  for (const tool of ["Read", "Grep", "Glob"]) expect(await why(`${tool}(a.ts)`)).toMatch(/^It runs [^\n]*$/);
  for (const tool of ["Edit", "Write"])
    expect(await why(`${tool}(a.ts)`)).toMatch(/^It is asked about .*\n.*\(a\.ts\)/);
});
