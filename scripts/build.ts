import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { rolldown } from "rolldown";
import { PACKAGES } from "./packages.ts";
import { NPX, runStep } from "./run-step.ts";

interface Package {
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/** Builds `dist` of every published package and of the agent, from nothing: types by tsc, and few files of code, which load in less time. */
let failed = false;
for (const name of PACKAGES) {
  const folder = `packages/${name}`;
  rmSync(`${folder}/dist`, { recursive: true, force: true });
  copyFileSync("LICENSE", `${folder}/LICENSE`);
  const args = ["tsc", "-p", `${folder}/tsconfig.build.json`, "--emitDeclarationOnly"];
  failed ||= runStep(`build ${name}`, NPX, args) === "failed";
  await bundle(folder);
}
// The agent is a program: nobody imports it. Its clients are hundreds of small files each, and were half of its start.
rmSync("apps/agent/dist", { recursive: true, force: true });
await bundle("apps/agent", ["@anthropic-ai/sdk", "openai"]);
process.exitCode = failed ? 1 : 0;

/** One file for each subpath and command, and shared ones for what several of them need. */
async function bundle(folder: string, inlined: readonly string[] = []): Promise<void> {
  const { exports = {}, bin = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Package;
  const subpaths = Object.values(exports).flatMap((target) => (typeof target === "string" ? [] : [target["default"]!]));
  const entries = [...subpaths, ...Object.values(bin)].map((path) => relative("dist", path).replace(/\.js$/, ""));
  const build = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, join(folder, "src", `${entry}.ts`)])),
    // Only what is ours goes in: clients of providers are the user's own.
    external: (id) => !id.startsWith(".") && !id.startsWith("/") && !inlined.includes(id),
    platform: "node",
  });
  await build.write({
    dir: join(folder, "dist"),
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name].js",
    sourcemap: true,
  });
}
