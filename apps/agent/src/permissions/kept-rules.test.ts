import { mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../testing/temporary-project.ts";
import { removeRule, saveAllowed } from "./attended-permission.ts";

function setUp() {
  const folder = join(temporaryProject({}).home, "kept");
  mkdirSync(folder);
  const file = join(folder, "settings.json");
  return { folder, file, read: () => JSON.parse(readFileSync(file, "utf8")) };
}

test("a rule is kept once, and whatever else stands there stays", async () => {
  const { folder, file, read } = setUp();
  await saveAllowed(folder, ["Bash(a)"]);
  expect(read()).toEqual({ permissions: { allow: ["Bash(a)"] } });
  writeFileSync(
    file,
    JSON.stringify({ web: "on", permissions: { allow: ["Bash(a)"], deny: ["Bash(b)"], mode: "plan" } }),
  );
  await saveAllowed(folder, ["Bash(a)", "Bash(c)"]);
  expect(read()).toEqual({
    web: "on",
    permissions: { allow: ["Bash(a)", "Bash(c)"], deny: ["Bash(b)"], mode: "plan" },
  });
});

test("a rule is removed where it stands, and it is said whether it did", async () => {
  const { folder, file, read } = setUp();
  expect(await removeRule(folder, "allow", "Bash(a)")).toBe(false);
  const kept = { permissions: { allow: ["Bash(a)", "Bash(b)"], deny: ["Bash(a)"] } };
  writeFileSync(file, JSON.stringify(kept));
  expect(await removeRule(folder, "allow", "Bash(x)")).toBe(false);
  expect(await removeRule(folder, "ask", "Bash(a)")).toBe(false);
  expect(read()).toEqual(kept);
  expect(await removeRule(folder, "allow", "Bash(a)")).toBe(true);
  expect(read()).toEqual({ permissions: { allow: ["Bash(b)"], deny: ["Bash(a)"] } });
});

test("a file that cannot be read is left as it is", async () => {
  const { folder, file } = setUp();
  // A link to itself: it is there, and nobody knows what stands in it.
  symlinkSync("settings.json", file);
  await expect(saveAllowed(folder, ["Bash(a)"])).rejects.toThrow(/ELOOP/);
  unlinkSync(file);
  writeFileSync(file, "{ damaged");
  await expect(saveAllowed(folder, ["Bash(a)"])).rejects.toThrow();
  expect(readFileSync(file, "utf8")).toBe("{ damaged");
  for (const [text, expected] of [
    ["[]", { permissions: { allow: ["Bash(a)"] } }],
    ['{"permissions":[]}', { permissions: { allow: ["Bash(a)"] } }],
    ['{"permissions":{"allow":"x"}}', { permissions: { allow: ["Bash(a)"] } }],
  ] as const) {
    writeFileSync(file, text);
    await saveAllowed(folder, ["Bash(a)"]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(expected);
  }
});
