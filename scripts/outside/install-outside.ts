import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A folder beside the workspace, one for each version of a package. */
export function outsideFolder(name: string, version: string): string {
  return join(homedir(), ".cache", "palimpsest-outside", `${name.replaceAll(/\W+/g, "-")}-${version}`);
}

/** Installs a package beside the workspace, once for each version, and returns the folder. Needs the network. */
export function installOutside(name: string, version: string): string {
  const folder = outsideFolder(name, version);
  if (existsSync(join(folder, "node_modules", name, "package.json"))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...options, `${name}@${version}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return folder;
}

/** Compiles a program in the folder of an installed package, with the sources of the workspace. Throws what the compiler says. */
export function compileOutside(root: string, folder: string, file: string, code: string): void {
  writeFileSync(join(folder, file), code);
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
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  const tsc = join(root, "node_modules/.bin/tsc");
  execFileSync(tsc, ["-p", folder], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
}
