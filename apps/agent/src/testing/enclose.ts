import { join, relative } from "node:path";
import { findShell } from "../sandbox/find-program.ts";
import { openSandbox, type Sandbox } from "../sandbox/open-sandbox.ts";
import { createPolicy, type PolicyOptions, type SandboxPolicy, type SandboxRequest } from "../sandbox/policy.ts";
import { type CommandEnd, type RunningCommand, startCommand } from "../sandbox/start-command.ts";
import { commandEnvironment, type Environment } from "../workspace/command-environment.ts";
import type { TemporaryProject } from "./temporary-project.ts";

export interface RunOptions extends Partial<SandboxRequest> {
  readonly timeoutMs?: number;
  readonly environment?: Environment;
}

export interface EncloseOptions extends Partial<PolicyOptions> {
  readonly isHidden?: (path: string) => boolean;
  /** In the base: each session has its own. */
  readonly sandboxFolder?: string;
  readonly maxFolders?: number;
}

export interface EnclosedProject {
  readonly policy: SandboxPolicy;
  readonly sandbox: Extract<Sandbox, { readonly kind: "bubblewrap" }>;
  start(command: string, options?: RunOptions): Promise<RunningCommand>;
  run(command: string, options?: RunOptions): Promise<CommandEnd & { readonly text: string }>;
}

/** Commands in the real sandbox over a project. The gate has bubblewrap, so a test without one fails. */
export async function encloseProject(
  { folder, home, base }: Pick<TemporaryProject, "folder" | "home" | "base">,
  { isHidden = () => false, sandboxFolder = "sandbox", maxFolders, ...wanted }: EncloseOptions = {},
): Promise<EnclosedProject> {
  const roots = wanted.roots ?? [folder];
  const policy = createPolicy({
    roots,
    home,
    ownFolders: [join(home, ".palimpsest"), join(base, "sandbox")],
    hiddenPatterns: [],
    readOnly: [],
    readable: [],
    environment: [],
    hosts: [],
    ...wanted,
  });
  const path = process.env["PATH"];
  const sandbox = await openSandbox({
    policy,
    sandboxFolder: join(base, sandboxFolder),
    coversFile: join(home, ".palimpsest/covers.sqlite"),
    path,
    isHidden: (one) => isHidden(relative(folder, one)),
    ...(maxFolders === undefined ? {} : { maxFolders }),
  });
  if (sandbox.kind === "none") throw new Error(sandbox.reason);
  const { enclose } = sandbox;
  async function start(command: string, { folder: from = roots[0]!, hosts = [], ...options }: RunOptions = {}) {
    const enclosed = await enclose({ folder: from, hosts });
    const environment = commandEnvironment({ ...process.env, HOME: home, ...options.environment });
    const shell = findShell({ PATH: path }, roots);
    return startCommand({
      command,
      folder: from,
      environment,
      shell,
      enclosed,
      timeoutMs: options.timeoutMs ?? 20_000,
    });
  }
  async function run(command: string, options?: RunOptions): Promise<CommandEnd & { readonly text: string }> {
    const running = await start(command, options);
    let text = "";
    for await (const piece of running.output) text += piece;
    return { text, ...(await running.ended) };
  }
  return { policy, sandbox, start, run };
}
