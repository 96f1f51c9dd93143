/**
 * Compiles the context engine of example 27 against OpenClaw's own types: node examples/check-openclaw.ts. The package is downloaded
 * once into a folder outside the repository. OpenClaw itself is not started, because it needs a gateway and accounts.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "2026.9.6";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = join(homedir(), ".cache", "palimpsest-openclaw", VERSION);
const installed = join(folder, "node_modules", "openclaw");
if (!existsSync(join(installed, "package.json"))) {
  mkdirSync(installed, { recursive: true });
  execFileSync("npm", ["pack", `openclaw@${VERSION}`, "--pack-destination", folder], { cwd: folder, stdio: "ignore" });
  execFileSync("tar", ["-xzf", join(folder, `openclaw-${VERSION}.tgz`), "-C", installed, "--strip-components=1"]);
}
writeFileSync(
  join(folder, "engine.ts"),
  `import type { HarnessContextEngine } from "openclaw/plugin-sdk/agent-harness-runtime";
import type { ContextEngine } from "${root}examples/27-context-engine.ts";

export const fill = (engine: ContextEngine): HarnessContextEngine => engine;
// @ts-expect-error OpenClaw's interface is a real type, so an empty object does not fit.
export const empty: HarnessContextEngine = {};
`,
);
const compilerOptions = {
  target: "esnext",
  module: "nodenext",
  lib: ["esnext"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  customConditions: ["palimpsest-source"],
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")],
};
writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["engine.ts"] }));
execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder, stdio: "inherit" });
console.log(`openclaw ${VERSION}: example 27 fits OpenClaw's types`);
