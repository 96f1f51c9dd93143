import { totalmem } from "node:os";
import { join } from "node:path";
import { isInside } from "../workspace/path-guard.ts";
import type { SandboxPolicy } from "./policy.ts";

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
