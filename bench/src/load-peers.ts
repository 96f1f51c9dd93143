import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("../peers/", import.meta.url);

/** A module of the package that knows the other libraries. It is a package of its own, because few need it and it is large. */
export async function loadPeers<Module>(file: string): Promise<Module> {
  installPeers();
  return (await import(new URL(file, FOLDER).href)) as Module;
}

/** Call it before processes that load peers are started beside each other. */
export function installPeers(): void {
  if (isInstalled()) return;
  const folder = fileURLToPath(FOLDER);
  console.error(`Installing the other libraries into ${folder}node_modules (some 260 MB). Delete it when you like.`);
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder], {
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
}

/** All of them, in the versions that are asked for. */
function isInstalled(): boolean {
  const versionsIn = (path: string): { readonly version?: string; readonly dependencies?: Record<string, string> } =>
    JSON.parse(readFileSync(new URL(path, FOLDER), "utf8"));
  return Object.entries(versionsIn("package.json").dependencies ?? {}).every(([name, version]) => {
    const path = `node_modules/${name}/package.json`;
    return existsSync(new URL(path, FOLDER)) && versionsIn(path).version === version;
  });
}
