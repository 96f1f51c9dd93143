import { copyFileSync, rmSync } from "node:fs";
import { PACKAGES } from "./packages.ts";
import { NPX, runStep } from "./run-step.ts";

/** Builds `dist` of every published package, from nothing. */
let failed = false;
for (const name of PACKAGES) {
  const folder = `packages/${name}`;
  rmSync(`${folder}/dist`, { recursive: true, force: true });
  copyFileSync("LICENSE", `${folder}/LICENSE`);
  failed ||= runStep(`build ${name}`, NPX, ["tsc", "-p", `${folder}/tsconfig.build.json`]) === "failed";
}
process.exitCode = failed ? 1 : 0;
