import { totalmem } from "node:os";
import { join, relative } from "node:path";
import { isInside } from "../workspace/path-guard.ts";
import { PROTECTED_NAMES } from "./protected-names.ts";

/**
 * What programs that the agent starts may read, write, run and reach. The path guard, the file tools, Bash, hooks, servers and
 * ripgrep obey the same value. Paths are absolute with links followed, unless said otherwise.
 */
export interface SandboxPolicy {
  /** The project first. Readable and writable but for protected names, `readOnly` and `hidden`. */
  readonly roots: readonly string[];
  /** The user's home: not readable but for `readable`. Programs get one of the session's own in its place. */
  readonly home: string;
  /** Toolchains, caches, and what the settings name. Those that do not exist are passed over. */
  readonly readable: readonly string[];
  /** Never seen, wherever they lie: the agent's own folders. Mounted last. */
  readonly hidden: readonly string[];
  /** Patterns of `deny Read(...)`, from the roots, as gitignore writes them. */
  readonly hiddenPatterns: readonly string[];
  /** Readable and not writable though they lie in a root: files that hooks and servers name. */
  readonly readOnly: readonly string[];
  /** Names of variables that commands get, besides those of `commandEnvironment`. Others do not reach them. */
  readonly environment: readonly string[];
  readonly network: NetworkPolicy;
  readonly limits: SandboxLimits;
}

interface NetworkPolicy {
  /** Domains that every command may reach: `registry.npmjs.org`, `*.example.com`. A command may be given more. */
  readonly hosts: readonly string[];
}

export interface SandboxLimits {
  readonly maxProcesses: number;
  /** Of one process. */
  readonly maxMemoryBytes: number;
  /** Of one file. */
  readonly maxFileBytes: number;
  /** Of what is written to memory: /dev/shm, homes of others. */
  readonly maxTemporaryBytes: number;
  /** Of the disk of the project and of /tmp: with less, a command is ended. */
  readonly minFreeBytes: number;
}

/** What one program asks for on top of the policy. */
export interface SandboxRequest {
  /** Where it begins. */
  readonly folder: string;
  /** Domains that it may reach, besides those of the policy. `any`: the user has allowed the network as a whole. */
  readonly hosts: readonly string[] | "any";
  /** `own-folder`: it reads the project, and changes nothing in it. @default "project" */
  readonly writes?: "project" | "own-folder";
  /** Holds its /tmp and its home, which last. @default those of the session's commands */
  readonly ownFolder?: string;
  /** Files outside of the roots that it may read, wherever they lie. @default none */
  readonly named?: readonly string[];
}

/** Toolchains: programs and libraries, and no credentials. Files of settings beside them are not among them. */
const TOOLCHAINS = [
  ...[
    ".nvm",
    ".fnm",
    ".volta",
    ".asdf",
    ".local/share/mise",
    ".local/share/fnm",
    ".local/share/pnpm",
    ".bun/bin",
    ".deno",
  ],
  ...[
    ".cargo/bin",
    ".cargo/env",
    ".rustup",
    ".pyenv",
    ".rbenv",
    ".rye",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/uv",
  ],
  ...[
    "go/bin",
    "go/pkg/mod",
    ".sdkman/candidates",
    ".dotnet",
    ".pub-cache",
    ".npm-global",
    ".nix-profile",
    ".elan",
    ".ghcup",
  ],
  ...["miniconda3", "anaconda3", "miniforge3", ".opam", ".juliaup", ".local/share/virtualenvs"],
];
/** Browsers and models that are large, and that programs read. Caches that programs write are the session's own. */
const CACHES = [".cache/ms-playwright", ".cache/puppeteer", ".cache/Cypress", ".cache/electron", ".cache/huggingface"];

export interface PolicyOptions {
  /** Links followed; the project first. */
  readonly roots: readonly string[];
  readonly home: string;
  /** Ours, which no command sees: the agent's home, the session's folder. */
  readonly ownFolders: readonly string[];
  /** Patterns of `deny Read(...)`. */
  readonly hiddenPatterns: readonly string[];
  /** Files that hooks and servers name. */
  readonly readOnly: readonly string[];
  /** Of the settings: besides the toolchains; from the home if they are relative or begin with `~/`. */
  readonly readable: readonly string[];
  /** Names of variables, besides those that all commands get. */
  readonly environment: readonly string[];
  /** Domains that every command may reach. */
  readonly hosts: readonly string[];
}

const GIBIBYTE = 1_073_741_824;

/** The policy of a session: what stands in the settings, and what always holds. */
export function createPolicy(options: PolicyOptions): SandboxPolicy {
  const { roots, home, ownFolders, hiddenPatterns, readOnly, readable, environment, hosts } = options;
  return {
    roots,
    home,
    readable: [...TOOLCHAINS, ...CACHES, ...readable].map((path) =>
      path.startsWith("/") ? path : join(home, path.replace(/^~\//, "")),
    ),
    hidden: [...ownFolders, ...hiddenPatterns.filter((pattern) => pattern.startsWith("/") && !/[*?]/.test(pattern))],
    hiddenPatterns,
    readOnly,
    environment,
    network: { hosts },
    limits: {
      maxProcesses: 4_096,
      maxMemoryBytes: Math.max(GIBIBYTE, Math.floor(totalmem() * 0.75)),
      maxFileBytes: 8 * GIBIBYTE,
      maxTemporaryBytes: 2 * GIBIBYTE,
      minFreeBytes: GIBIBYTE / 2,
    },
  };
}

/**
 * Why folders cannot be the roots of commands; undefined if they can. A command in the home, or above it, could write what the user's
 * shell and programs run, and read all that they keep.
 */
export function refusalOfRoots(
  roots: readonly string[],
  { home, ownFolders }: Pick<PolicyOptions, "home" | "ownFolders">,
): string | undefined {
  for (const root of roots) {
    const instead = "Start palimpsest in the folder of a project.";
    if (root === "/") return `The project is the whole file system (/). ${instead}`;
    if (home !== "" && isInside(home, root))
      return `The project (${root}) ${root === home ? "is" : "contains"} your home folder. ${instead}`;
    const own = ownFolders.find((folder) => isInside(root, folder));
    if (own !== undefined) return `The project (${root}) lies in the agent's own folder (${own}). ${instead}`;
  }
  return undefined;
}

/** The policy in plain words, one line each. */
export function policyText(policy: SandboxPolicy): readonly string[] {
  const { roots, home, readable, hiddenPatterns, readOnly, environment, network, limits } = policy;
  const names = PROTECTED_NAMES.slice(0, 12).map(({ path }) => path);
  return [
    `write: ${roots.join(", ")}, and a /tmp and a home folder of the session's own`,
    `read: the system without sockets, without ${home} and without homes of others; toolchains such as ${listed(readable, home)}`,
    ...(hiddenPatterns.length === 0 ? [] : [`not read, by rule: ${hiddenPatterns.join(", ")}`]),
    `not written: ${names.join(", ")} and ${PROTECTED_NAMES.length - names.length} more names that your programs obey`,
    ...(readOnly.length === 0 ? [] : [`not written, since hooks or servers run them: ${readOnly.join(", ")}`]),
    `reach: ${network.hosts.length === 0 ? "no host" : network.hosts.join(", ")}; a command asks for others by name. No Unix sockets, no ports of this machine`,
    `environment: PATH, HOME, LANG and others that hold no secrets${environment.length === 0 ? "" : `; also ${environment.join(", ")}`}`,
    `limits: ${limits.maxProcesses} processes, ${gigabytes(limits.maxMemoryBytes)} of memory for each, ${gigabytes(limits.maxFileBytes)} for a file; ended with less than ${gigabytes(limits.minFreeBytes)} free on the disk`,
  ];
}

function listed(readable: readonly string[], home: string): string {
  const shown = readable.slice(0, 4).map((path) => (isInside(path, home) ? `~/${relative(home, path)}` : path));
  return `${shown.join(", ")} (${readable.length} in all)`;
}

function gigabytes(bytes: number): string {
  return `${Number((bytes / 1_073_741_824).toFixed(1))} GiB`;
}
