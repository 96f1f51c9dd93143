import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const HOST_PROGRAM = fileURLToPath(new URL("./host/host-program.ts", import.meta.url));
const PRINT_DECISIONS = fileURLToPath(new URL("./host/print-decisions.ts", import.meta.url));

/** The packages as users install them, from tarballs, in an empty folder. */
export interface Installed {
  readonly folder: string;
  /** The program `palimpsest`. */
  readonly agent: string;
  /** Programs of ours that import the installed packages. */
  readonly host: string;
  readonly printDecisions: string;
}

/** Clients that users install themselves, in the versions with which the engine is tested. */
const CLIENTS = ["@anthropic-ai/sdk", "openai", "@google/genai", "@aws-sdk/client-bedrock-runtime"];

/** Builds what is older than its sources, packs all packages, and installs those of the programs with the clients. */
export function packAndInstall(base: string): Installed {
  const packed = process.env["PALIMPSEST_PACKED"] ?? join(base, "packed");
  if (process.env["PALIMPSEST_PACKED"] === undefined) {
    runQuietly(process.execPath, ["scripts/build.ts", "--if-older"], ROOT);
    runQuietly(process.execPath, ["scripts/pack.ts", packed], ROOT);
  }
  const folder = join(base, "app");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const tarballs = globSync(join(packed, "programs", "*.tgz"));
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  runQuietly("npm", ["install", ...options, ...tarballs, ...CLIENTS.map(testedClient)], folder);
  copyInto(folder, HOST_PROGRAM);
  copyInto(folder, PRINT_DECISIONS);
  return installedIn(folder);
}

function installedIn(folder: string): Installed {
  return {
    folder,
    agent: join(folder, "node_modules", ".bin", "palimpsest"),
    host: join(folder, basename(HOST_PROGRAM)),
    printDecisions: join(folder, basename(PRINT_DECISIONS)),
  };
}

/** A change of one file of an installed package. */
export interface Patch {
  /** The path in `node_modules`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Copies the installed packages into a new folder, and changes one file of the copy. */
export function patchedCopy({ folder }: Installed, { file, from, to }: Patch, copy: string): Installed {
  // Links instead of copies: the packages have thousands of files.
  runQuietly("cp", ["-al", folder, copy], ROOT);
  const path = join(copy, "node_modules", file);
  const code = readFileSync(path, "utf8");
  if (!code.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}, which a planted fault replaces.`);
  rmSync(path);
  writeFileSync(path, code.replace(from, to));
  return installedIn(copy);
}

function copyInto(folder: string, program: string): void {
  cpSync(program, join(folder, basename(program)));
}

function testedClient(name: string): string {
  const { resolve } = createRequire(join(ROOT, "packages/palimpsest/package.json"));
  const folder = resolve.paths(name)?.find((path) => globSync(join(path, name, "package.json")).length > 0);
  if (folder === undefined) throw new Error(`${name} is not installed in the repository. Run: npm ci`);
  const { version } = JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")) as { version: string };
  return `${name}@${version}`;
}

function runQuietly(program: string, args: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8", timeout: 540_000 });
}
