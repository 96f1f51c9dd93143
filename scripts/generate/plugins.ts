import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../packages.ts";
import { installed } from "../run-step.ts";

/** The fields of the server's package.json that its plugins repeat. */
interface PluginFacts extends Pick<Manifest, "name" | "version"> {
  readonly description: string;
  readonly homepage: string;
  readonly license: string;
  readonly keywords: readonly string[];
}

/** The name of the server and of its plugin: clients put it before the names of the tools. */
const NAME = "palimpsest";
const OWNER = { name: "The Palimpsest authors" };

const FOLDER = "packages/mcp/plugins";

/** What clients need to start the MCP server: a plugin folder for Claude Code with its marketplace, and a snippet for Codex. */
export function pluginFiles(): Readonly<Record<string, string>> {
  const files = Object.entries(plugins(JSON.parse(readFileSync("packages/mcp/package.json", "utf8"))));
  return Object.fromEntries(
    files.map(([path, content]) => {
      const file = join(FOLDER, path);
      return [file, path.endsWith(".json") ? formatted(file, content) : content];
    }),
  );
}

function formatted(path: string, input: string): string {
  return execFileSync(installed("biome"), ["format", `--stdin-file-path=${path}`], { input, encoding: "utf8" });
}

/** The files that clients need to start the server, by their paths. JSON is not formatted. */
export function plugins(facts: PluginFacts): Readonly<Record<string, string>> {
  const { name, version, description, homepage, license, keywords } = facts;
  // The plugin and the server are released together.
  const server = { command: "npx", args: ["-y", `${name}@${version}`] };
  const manifest = { name: NAME, version, description, author: OWNER, homepage, license, keywords };
  const plugin = { name: NAME, source: "./palimpsest", description };
  return {
    "claude-code/.claude-plugin/marketplace.json": JSON.stringify({ name: NAME, owner: OWNER, plugins: [plugin] }),
    "claude-code/palimpsest/.claude-plugin/plugin.json": JSON.stringify(manifest),
    "claude-code/palimpsest/.mcp.json": JSON.stringify({ mcpServers: { [NAME]: server } }),
    "codex/config.toml": codexConfig(server),
  };
}

/** Codex starts servers in the folder of its session. Of the environment it passes on what is listed, besides HOME and PATH. */
function codexConfig({ command, args }: { readonly command: string; readonly args: readonly string[] }): string {
  const variables = ["PALIMPSEST_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR", "GEMINI_CLI_HOME"];
  return [
    "# Add this to ~/.codex/config.toml, or to .codex/config.toml of a project that Codex trusts.",
    `[mcp_servers.${NAME}]`,
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    `env_vars = ${JSON.stringify([...variables, "XDG_DATA_HOME"])}`,
    "# The first start downloads the package.",
    "startup_timeout_sec = 60",
    "",
  ].join("\n");
}
