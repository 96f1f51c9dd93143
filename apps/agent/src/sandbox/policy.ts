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
