import { execFile, execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

type Names = Readonly<Record<string, string>>;

/** A package as somebody gets it who installs it. */
export interface Installed {
  readonly folder: string;
  readonly files: readonly string[];
  readonly manifest: {
    readonly name: string;
    readonly version: string;
    readonly exports: Readonly<Record<string, string | Names>>;
    readonly dependencies?: Names;
    readonly [field: string]: unknown;
  };
}

export interface InstalledPackages {
  readonly base: string;
  /** An empty folder in which all packages were installed, with the newest clients. */
  readonly folder: string;
  /** Where `npm install -g` has put programs. */
  readonly bin: string;
  readonly packages: readonly Installed[];
  /** Of a user who has nothing yet. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Builds and packs all packages, if the gate has not just done so, and installs them twice, as a user would: in an empty folder, and
 * for the command line.
 */
export async function packAndInstall(): Promise<InstalledPackages> {
  const base = mkdtempSync(join(tmpdir(), "palimpsest-packages-"));
  const [folder, home, global] = ["app", "home", "global"].map((name) => join(base, name)) as [string, string, string];
  for (const made of [folder, home]) mkdirSync(made);
  const inRepository = { cwd: ROOT, encoding: "utf8", stdio: "pipe" } as const;
  const packed = process.env["PALIMPSEST_PACKED"] ?? join(base, "packed");
  if (process.env["PALIMPSEST_PACKED"] === undefined) {
    execFileSync(process.execPath, ["scripts/build.ts", "--if-older"], inRepository);
    execFileSync(process.execPath, ["scripts/pack.ts", packed], inRepository);
  }
  // Of the user's own only what says where packages come from: settings of npm, and its cache.
  const npmSetting = (name: string): string => execFileSync("npm", ["config", "get", name], inRepository).trim();
  const [cache, userconfig] = [npmSetting("cache"), npmSetting("userconfig")];
  const environment = { PATH: process.env["PATH"], HOME: home };
  const install = async (cwd: string, ...args: readonly string[]): Promise<void> => {
    const env = { ...process.env, HOME: home, npm_config_cache: cache, npm_config_userconfig: userconfig };
    const quietly = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
    await promisify(execFile)("npm", ["install", ...quietly, ...args], { cwd, env, timeout: 240_000 });
  };
  const tarballs = globSync(join(packed, "*.tgz"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await Promise.all([
    install(
      folder,
      ...tarballs,
      ...newest("@anthropic-ai/sdk", "ai", "@ai-sdk/anthropic", "openai", "pg", "@types/pg", "@types/node"),
      ...newest("langchain", "@langchain/core", "@langchain/anthropic", "@openai/agents", "@mastra/core"),
      ...newest("@earendil-works/pi-agent-core", "@earendil-works/pi-ai"),
    ),
    install(base, "--global", "--prefix", global, ...tarballs),
  ]);
  const packages = tarballs.map((tarball): Installed => {
    const read = (...args: readonly string[]) => execFileSync("tar", args, { encoding: "utf8", maxBuffer: 64_000_000 });
    const { name } = JSON.parse(read("-xOzf", tarball, "package/package.json")) as { name: string };
    const at = join(folder, "node_modules", name);
    const files = read("-tzf", tarball).trim().split("\n");
    return {
      folder: at,
      files: files.map((file) => file.replace(/^package\//, "")),
      manifest: JSON.parse(readFileSync(join(at, "package.json"), "utf8")),
    };
  });
  return { base, folder, bin: join(global, "bin"), packages, environment };
}

/** The releases that the repository is tested with. */
function newest(...names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const file = join(ROOT, "node_modules", name, "package.json");
    return `${name}@${JSON.parse(readFileSync(file, "utf8")).version}`;
  });
}
