import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { compileOutside, outsideFolder } from "./install-outside.ts";

/** Compiles the context engine of the examples against OpenClaw's own types. Its program needs a gateway and accounts: it is not run. */
export async function tryOpenClaw(root: string, version: string): Promise<void> {
  const folder = outsideFolder("openclaw", version);
  const installed = join(folder, "node_modules", "openclaw");
  if (!existsSync(join(installed, "package.json"))) {
    mkdirSync(installed, { recursive: true });
    execFileSync("npm", ["pack", `openclaw@${version}`, "--pack-destination", folder], {
      cwd: folder,
      stdio: "ignore",
    });
    execFileSync("tar", ["-xzf", join(folder, `openclaw-${version}.tgz`), "-C", installed, "--strip-components=1"]);
  }
  compileOutside(
    root,
    folder,
    "engine.ts",
    `import type { HarnessContextEngine } from "openclaw/plugin-sdk/agent-harness-runtime";
import type { ContextEngine } from "${root}examples/27-context-engine.ts";

export const fill = (engine: ContextEngine): HarnessContextEngine => engine;
// @ts-expect-error what is compared has types
export const empty: HarnessContextEngine = {};
`,
  );
  console.log(`openclaw ${version}: the context engine of the examples fits its types`);
}
