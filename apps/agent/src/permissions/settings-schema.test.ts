import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import fc from "fast-check";
import { readSettings, settingsFile } from "palimpsest";
import { expect, test } from "vitest";
import { temporaryProject } from "../testing/temporary-project.ts";
import { checkSettings } from "./settings.ts";
import { AGENT_SETTINGS } from "./settings-schema.ts";

// As they are published.
const schemaOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../${name}.schema.json`, import.meta.url), "utf8"));
const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false });
const [isSettings, isEngine] = [ajv.compile(schemaOf("settings")), ajv.compile(schemaOf("engine"))];

const whole = {
  $schema: "./node_modules/palimpsest-agent/settings.schema.json",
  permissions: {
    mode: "accept-edits",
    deny: ["Read(.env)"],
    ask: ["Bash(git push *)"],
    allow: ["Bash(npm test *)", "Network"],
    folders: ["../shared"],
  },
  hooks: [
    { event: "PostToolUse", command: "npx biome check --write", tools: "Edit|Write", timeoutMs: 5_000 },
    { event: "Stop", command: ["node", "done.js"] },
  ],
  sandbox: "required",
  keptEnvironment: ["NPM_TOKEN"],
  web: "off",
  servers: {
    files: { command: ["npx", "a-server"], environment: { ROOT: "/srv" } },
    remote: { url: "https://tools.example/mcp", headers: { Authorization: "Bearer x" } },
  },
};

test("a file that uses everything fits, and so does an empty one", () => {
  for (const settings of [whole, {}]) {
    expect([isSettings(settings), isSettings.errors]).toEqual([true, null]);
    expect(checkSettings(settings, AGENT_SETTINGS)).toEqual([]);
  }
});

test.each([
  ["permissions", { ...whole, permissions: { mode: "yolo" } }],
  ["permissions.allow[0]", { permissions: { allow: [7] } }],
  ["hooks[0].event", { hooks: [{ event: "AfterTool", command: "x" }] }],
  ["hooks[0]", { hooks: [{ event: "Stop" }] }],
  ["hooks[0].command", { hooks: [{ event: "Stop", command: [] }] }],
  ["servers.a.environment.B", { servers: { a: { command: ["x"], environment: { B: 1 } } } }],
  ["servers.a.header", { servers: { a: { url: "x", header: {} } } }],
  ["web", { web: true }],
  ["it is an object", []],
])("what does not fit is named: %s", (where, settings) => {
  expect(isSettings(settings)).toBe(false);
  expect(checkSettings(settings, AGENT_SETTINGS).join("\n")).toContain(where);
});

/** Values that are nearly right: whole settings with something at some depth put in, taken out or changed. */
const nearlyRight = fc
  .record({
    path: fc.array(fc.nat({ max: 6 }), { maxLength: 4 }),
    value: fc.option(fc.jsonValue(), { nil: undefined }),
  })
  .map(({ path, value }) => JSON.parse(JSON.stringify(change(whole, path, value) ?? {})));

function change(whole: unknown, [at, ...deeper]: readonly number[], value: unknown): unknown {
  if (at === undefined || typeof whole !== "object" || whole === null) return value;
  const copy = structuredClone(whole) as Record<string, unknown>;
  const names = Object.keys(copy);
  const name = names[at] ?? (Array.isArray(whole) ? String(names.length) : "another");
  copy[name] = change(copy[name], deeper, value);
  return copy;
}

test("the agent finds something wrong exactly where any validator of the schema does", () => {
  const isPattern = ({ keyword }: { readonly keyword: string }) => keyword === "pattern";
  fc.assert(
    fc.property(nearlyRight, (settings) => {
      // Rules are read by whoever reads rules, who says better what is wrong with one.
      const isValid = isSettings(settings) || isSettings.errors!.every(isPattern);
      expect([settings, checkSettings(settings, AGENT_SETTINGS).length === 0]).toEqual([settings, isValid]);
    }),
    { numRuns: 500 },
  );
});

test("the engine takes exactly the values that its schema allows", async () => {
  const path = join(temporaryProject().base, "engine.json");
  const { properties } = schemaOf("engine");
  const values = fc.oneof(fc.jsonValue(), fc.integer(), fc.double(), fc.constantFrom("on", "off", "auto", "ask"));
  const names = fc.oneof(fc.constantFrom(...Object.keys(properties).slice(1)), fc.string());
  await fc.assert(
    fc.asyncProperty(names, values, async (name, value) => {
      const file = JSON.parse(JSON.stringify({ [name]: value }));
      writeFileSync(path, JSON.stringify(file));
      const { problems } = await readSettings({ settingsFrom: { file: settingsFile(path), environment: {} } });
      expect([file, problems.length === 0]).toEqual([file, isEngine(file)]);
    }),
    { numRuns: 300 },
  );
});

test("the defaults fit the schemas that name them", () => {
  const { properties } = schemaOf("engine") as { readonly properties: Readonly<Record<string, { default?: unknown }>> };
  const defaults = Object.entries(properties).filter(([, schema]) => "default" in schema);
  expect(isEngine(Object.fromEntries(defaults.map(([name, schema]) => [name, schema.default])))).toBe(true);
  expect(defaults.length).toBeGreaterThan(10);
});
