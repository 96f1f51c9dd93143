import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("../peers/", import.meta.url);
const PEERS: InstalledPackages = { folder: FOLDER, what: "the other libraries", size: "260 MB" };

/** A package of ours that few need and that is large. */
interface InstalledPackages {
  readonly folder: URL;
  /** What is installed, and how large it is, in words. */
  readonly what: string;
  readonly size: string;
}

/** A module of the package that knows the other libraries. It is a package of its own, because few need it and it is large. */
export async function loadPeers<Module>(file: string): Promise<Module> {
  installPeers();
  return (await import(new URL(file, FOLDER).href)) as Module;
}

/** Call it before processes that load peers are started beside each other. */
export function installPeers(): void {
  installPackages(PEERS);
}

/** Installs such a package, unless it is there. */
export function installPackages({ folder: at, what, size }: InstalledPackages): void {
  if (isInstalled(at)) return;
  const folder = fileURLToPath(at);
  console.error(`Installing ${what} into ${folder}node_modules (some ${size}). Delete it when you like.`);
  // Not `npm ci`: it refuses a lock file without the packages of other systems that a registry does not have.
  execFileSync("npm", ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder], {
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
}

/** All of them, in the versions that are asked for. */
function isInstalled(folder: URL): boolean {
  const versionsIn = (path: string): { readonly version?: string; readonly dependencies?: Record<string, string> } =>
    JSON.parse(readFileSync(new URL(path, folder), "utf8"));
  return Object.entries(versionsIn("package.json").dependencies ?? {}).every(([name, version]) => {
    const path = `node_modules/${name}/package.json`;
    return existsSync(new URL(path, folder)) && versionsIn(path).version === version;
  });
}
