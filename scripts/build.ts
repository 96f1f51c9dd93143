import { copyFileSync, existsSync, globSync, rmSync, statSync } from "node:fs";
import { bundlePackage } from "./bundle-package.ts";
import { PACKAGES, type Package } from "./packages.ts";
import { installed, runStep } from "./run-step.ts";

/**
 * Builds `dist` of every published package, from nothing: types by tsc, and few files of code, which load in less time.
 * With `--if-older`, only if a source has changed since.
 */
const isAsked = !process.argv.includes("--if-older") || PACKAGES.some(isOlder);
let failed = false;
for (const { folder, manifest } of isAsked ? PACKAGES : []) {
  rmSync(`${folder}/dist`, { recursive: true, force: true });
  copyFileSync("LICENSE", `${folder}/LICENSE`);
  // Declarations follow from each file alone (`isolatedDeclarations`): types are checked once, for all packages together.
  const args = ["-p", `${folder}/tsconfig.build.json`, "--emitDeclarationOnly", "--noCheck"];
  failed ||= runStep(`build ${manifest.name}`, installed("tsc"), args) === "failed";
  await bundlePackage({ folder, manifest });
}
process.exitCode = failed ? 1 : 0;

function isOlder({ folder }: Package): boolean {
  // Written last.
  const built = globSync(`${folder}/dist/*.js`).map((file) => statSync(file).mtimeMs);
  const sources = ["package.json", "tsconfig.build.json", "src/**/*"].flatMap((pattern) =>
    globSync(`${folder}/${pattern}`),
  );
  const changed = sources.filter((file) => existsSync(file)).map((file) => statSync(file).mtimeMs);
  return built.length === 0 || Math.max(...changed) > Math.min(...built);
}
