/**
 * What programs that the agent starts may read, write, run and reach. The path guard, the file tools, Bash, hooks, servers and
 * ripgrep obey the same value. Paths are absolute with links followed, unless said otherwise.
 */
export interface SandboxPolicy {
  /** The project first. Readable and writable but for `protectedPaths` and `hidden`. */
  readonly roots: readonly string[];
  /** The user's home: not readable but for `readableHome`. */
  readonly home: string;
  /** Toolchains and caches, from the home. Those that do not exist are passed over. */
  readonly readableHome: readonly ReadableHome[];
  /** Never seen, wherever they lie: the agent's own folders. Mounted last. */
  readonly hidden: readonly string[];
  /** Patterns of `deny Read(...)`, from the roots, as gitignore writes them. */
  readonly hiddenPatterns: readonly string[];
  /** Readable and not writable though they lie in a root: files that hooks and servers name. */
  readonly readOnly: readonly string[];
  /** Names of variables, a `*` at the end for any. Others do not reach commands. */
  readonly environment: readonly string[];
  readonly network: NetworkPolicy;
  readonly limits: SandboxLimits;
}

export interface ReadableHome {
  readonly path: string;
  /** `write`: commands write to a copy of their own that ends with them, so the user's cache cannot be poisoned. */
  readonly access: "read" | "scratch";
}

export interface NetworkPolicy {
  /** Domains that every command may reach: `registry.npmjs.org`, `*.example.com`. A command may be given more. */
  readonly hosts: readonly string[];
}

export interface SandboxLimits {
  readonly maxProcesses: number;
  /** Of one process. */
  readonly maxMemoryBytes: number;
  /** Of one file. */
  readonly maxFileBytes: number;
  /** Of /tmp and of all that is written outside of the project. */
  readonly maxTemporaryBytes: number;
}

/** What one command asks for on top of the policy. */
export interface SandboxRequest {
  /** Where it begins. */
  readonly folder: string;
  /** Domains that it may reach, besides those of the policy. `any`: the user has allowed the network as a whole. */
  readonly hosts: readonly string[] | "any";
}
