import { execFile, execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startGuideCommands } from "../start-guide/commands.ts";

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
  /** The same, for users of npm: it finds packages that are on this machine already. */
  readonly npmEnvironment: NodeJS.ProcessEnv;
  /** An empty folder but for the tarballs, in `packed`. */
  readonly start: string;
}

/**
 * Builds and packs all packages, if the gate has not just done so, and installs them twice, as a user would: in an empty folder, and
 * for the command line.
 */
export async function packAndInstall(): Promise<InstalledPackages> {
  const base = mkdtempSync(join(tmpdir(), "palimpsest-packages-"));
  const [folder, home, start] = ["app", "home", "start"].map((name) => join(base, name)) as [string, string, string];
  for (const made of [folder, home, start]) mkdirSync(made);
  const inRepository = { cwd: ROOT, encoding: "utf8", stdio: "pipe" } as const;
  const packed = process.env["PALIMPSEST_PACKED"] ?? join(base, "packed");
  if (process.env["PALIMPSEST_PACKED"] === undefined) {
    execFileSync(process.execPath, ["scripts/build.ts", "--if-older"], inRepository);
    execFileSync(process.execPath, ["scripts/pack.ts", packed], inRepository);
  }
  symlinkSync(packed, join(start, "packed"));
  // Of the user's own only what says where packages come from: settings of npm, and its cache.
  const npmSetting = (name: string): string => execFileSync("npm", ["config", "get", name], inRepository).trim();
  const environment = { PATH: process.env["PATH"], HOME: home };
  const global = join(base, "global");
  // How this machine reaches the network.
  const connection = Object.entries(process.env).filter(([name]) => /^NODE_EXTRA_CA_CERTS$|_proxy$/i.test(name));
  const npmEnvironment = {
    ...environment,
    ...Object.fromEntries(connection),
    PATH: `${join(global, "bin")}:${process.env["PATH"]}`,
    npm_config_cache: npmSetting("cache"),
    npm_config_userconfig: npmSetting("userconfig"),
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_loglevel: "error",
    npm_config_prefer_offline: "true",
  };
  const run = async (cwd: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> => {
    await promisify(execFile)(program, args, { cwd, env: { ...npmEnvironment, ...env }, timeout: 540_000 });
  };
  const tarballs = globSync(join(packed, "*.tgz"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const clients = [
    ...newest("@anthropic-ai/sdk", "ai", "@ai-sdk/anthropic", "openai", "pg", "@types/pg", "@types/node"),
    ...newest("langchain", "@langchain/core", "@langchain/anthropic", "@openai/agents", "@mastra/core"),
    ...newest("@earendil-works/pi-agent-core", "@earendil-works/pi-ai"),
    // Newer ones ask for another core than the one above, and npm 11 looks for a way out without an end.
    ...newest("@langchain/langgraph", "@langchain/langgraph-checkpoint", "@langchain/langgraph-sdk"),
  ];
  // The first command of docs/start.md installs the programs.
  await Promise.all([
    run(folder, "npm", ["install", ...tarballs, ...clients], {}),
    run(start, "bash", ["-c", startGuideCommands()[0]!], { npm_config_prefix: global }),
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
  return { base, folder, bin: join(global, "bin"), packages, environment, npmEnvironment, start };
}

/** The releases that the repository is tested with. */
function newest(...names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const file = join(ROOT, "node_modules", name, "package.json");
    return `${name}@${JSON.parse(readFileSync(file, "utf8")).version}`;
  });
}
