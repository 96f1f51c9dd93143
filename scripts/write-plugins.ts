/**
 * Writes what clients need to start the MCP server: a plugin folder for Claude Code with its marketplace, and a snippet for Codex.
 * With `--check` it only says whether they are what it would write.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { plugins } from "./plugins.ts";
import { installed } from "./run-step.ts";

const FOLDER = "packages/mcp/plugins";

for (const [path, content] of Object.entries(plugins(JSON.parse(readFileSync("packages/mcp/package.json", "utf8"))))) {
  const file = join(FOLDER, path);
  const text = path.endsWith(".json")
    ? execFileSync(installed("biome"), ["format", `--stdin-file-path=${file}`], { input: content, encoding: "utf8" })
    : content;
  if (!process.argv.includes("--check")) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    console.error(`${file} is not what the package says: run npm run plugins`);
    process.exitCode = 1;
  }
}
