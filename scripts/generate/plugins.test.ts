import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plugins } from "./plugins.ts";

const FOLDER = join(import.meta.dirname, "../../packages/mcp");
const facts = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8"));
const files = plugins(facts);
const json = (path: string) => JSON.parse(files[path]!) as Record<string, unknown>;

/** The documented fields of a plugin's manifest that we use, as the published JSON schema of Claude Code names them. */
const MANIFEST_FIELDS = ["name", "version", "description", "author", "homepage", "repository", "license", "keywords"];
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;

test("what is in the package is what the script writes", () => {
  for (const [path, content] of Object.entries(files)) {
    const kept = readFileSync(join(FOLDER, "plugins", path), "utf8");
    expect(path.endsWith(".json") ? JSON.parse(kept) : kept).toEqual(
      path.endsWith(".json") ? JSON.parse(content) : content,
    );
  }
});

test("the plugin of Claude Code has its documented shape", () => {
  const manifest = json("claude-code/palimpsest/.claude-plugin/plugin.json");
  expect(Object.keys(manifest).filter((field) => !MANIFEST_FIELDS.includes(field))).toEqual([]);
  expect(manifest).toMatchObject({
    name: expect.stringMatching(KEBAB),
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    author: { name: expect.stringMatching(/\w/) },
    homepage: expect.stringMatching(/^https:\/\//),
  });
  // Servers stand in the plugin's root: a file of that name beside the manifest is not read.
  const { mcpServers } = json("claude-code/palimpsest/.mcp.json") as { mcpServers: Record<string, object> };
  expect(Object.keys(mcpServers)).toEqual([manifest["name"]]);
  expect(mcpServers["palimpsest"]).toEqual({ command: "npx", args: ["-y", `@palimpsest/mcp@${facts.version}`] });
});

test("the marketplace names the plugin by a path within it", () => {
  const {
    name,
    owner,
    plugins: listed,
  } = json("claude-code/.claude-plugin/marketplace.json") as never as {
    name: string;
    owner: { name: string };
    plugins: { name: string; source: string }[];
  };
  expect([name, owner.name]).toEqual([expect.stringMatching(KEBAB), expect.stringMatching(/\w/)]);
  for (const plugin of listed) {
    expect(plugin.source).toMatch(/^\.\/[\w-]+$/);
    expect(files).toHaveProperty([`claude-code/${plugin.source.slice(2)}/.claude-plugin/plugin.json`]);
  }
});

test("the snippet of Codex is a table of TOML with the documented keys", () => {
  const lines = files["codex/config.toml"]!.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines[0]).toBe("[mcp_servers.palimpsest]");
  const values = Object.fromEntries(lines.slice(1).map((line) => line.split(" = ") as [string, string]));
  expect(Object.keys(values)).toEqual(["command", "args", "env_vars", "startup_timeout_sec"]);
  // Strings, lists of strings and numbers are the same in TOML and JSON.
  expect(JSON.parse(values["args"]!)).toEqual(["-y", `@palimpsest/mcp@${facts.version}`]);
  for (const value of Object.values(values)) expect(() => JSON.parse(value)).not.toThrow();
});
