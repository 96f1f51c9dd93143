import { join, relative } from "node:path";
import { programFolders } from "../sandbox/find-program.ts";
import { openSandbox, type Sandbox } from "../sandbox/open-sandbox.ts";
import { createPolicy, type SandboxPolicy } from "../sandbox/policy.ts";
import { MAX_FOLDERS } from "../sandbox/scan-project.ts";
import type { Environment } from "../workspace/command-environment.ts";
import { isInside, type PathGuard } from "../workspace/path-guard.ts";
import type { Places } from "../workspace/places.ts";
import { fitsPath, type PathBase, placePattern } from "./glob.ts";
import { namedFiles } from "./load-settings.ts";
import { fitsTool, type Rule } from "./rule.ts";
import type { AgentSettings } from "./settings.ts";

interface SessionSandboxOptions {
  readonly settings: Pick<
    AgentSettings,
    "rules" | "hooks" | "servers" | "keptEnvironment" | "readablePaths" | "allowedHosts"
  >;
  readonly guard: PathGuard;
  readonly places: Pick<Places, "home" | "agentHome">;
  readonly sessionFolder: string;
  readonly environment: Environment;
}

/** What the settings say of the programs that a session starts, as one value. */
export async function sessionPolicy(options: SessionSandboxOptions): Promise<SandboxPolicy> {
  const { settings, guard, places, sessionFolder, environment } = options;
  return createPolicy({
    roots: guard.roots,
    home: places.home,
    ownFolders: [places.agentHome, sessionFolder],
    hiddenPatterns: hiddenPatterns(settings.rules, { folder: guard.roots[0]!, home: places.home }),
    readOnly: await namedFiles(settings, guard),
    readable: [
      ...programFolders(environment["PATH"], { home: places.home, roots: guard.roots }),
      ...settings.readablePaths,
    ],
    environment: settings.keptEnvironment,
    hosts: settings.allowedHosts,
  });
}

/** The sandbox of a session, which all that the session starts obeys. */
export async function openSessionSandbox(options: SessionSandboxOptions): Promise<Sandbox> {
  const policy = await sessionPolicy(options);
  const folder = policy.roots[0]!;
  const nameOf = (path: string): string => (isInside(path, folder) ? relative(folder, path) : path);
  return openSandbox({
    policy,
    sandboxFolder: join(options.sessionFolder, "sandbox"),
    coversFile: join(options.places.agentHome, "covers.sqlite"),
    path: options.environment["PATH"],
    isHidden: (path) => policy.hiddenPatterns.some((pattern) => fitsPath(pattern, nameOf(path))),
  });
}

/** Why no command may run, though the user may have allowed it; undefined if commands may. */
export function refusalOfCommands(
  sandbox: Sandbox,
  wanted: AgentSettings["sandbox"],
  rules: readonly Rule[],
): string | undefined {
  if (sandbox.kind !== "none") return undefined;
  if (wanted === "required") return `the settings require a sandbox, and there is none: ${sandbox.reason}`;
  if (rules.some(({ decision, tool }) => decision === "deny" && tool === "Network"))
    return `a rule denies the network, which needs a sandbox, and there is none: ${sandbox.reason}`;
  return undefined;
}

/** Why commands of a session ask, though they are enclosed; undefined if the sandbox guards all of the project. */
export async function unguardedReason(sandbox: Sandbox): Promise<string | undefined> {
  if (sandbox.kind === "none" || (await sandbox.extent()) === "complete") return undefined;
  return `The project has more than ${MAX_FOLDERS.toLocaleString("en-US")} folders: protected files that lie deeper are not guarded by the sandbox.`;
}

/**
 * The patterns of files that may not be read, placed (see `placePattern`): no search finds them, and a sandbox mounts
 * something empty over them. `deny *(.env)` hides as well as `deny Read(.env)`.
 */
export function hiddenPatterns(rules: readonly Rule[], base: PathBase): readonly string[] {
  const patterns = rules.flatMap(({ decision, tool, pattern }) =>
    decision === "deny" && pattern !== undefined && fitsTool(tool, "Read") ? [placePattern(pattern, base)] : [],
  );
  return [...new Set(patterns)];
}
