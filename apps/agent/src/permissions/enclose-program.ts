import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Enclosed, type EnclosedEnd, type EnclosedLine, enclosedLine } from "../sandbox/create-encloser.ts";
import { findShell } from "../sandbox/find-program.ts";
import type { Sandbox } from "../sandbox/open-sandbox.ts";
import type { SandboxRequest } from "../sandbox/policy.ts";
import { guardDisk } from "../sandbox/start-command.ts";
import type { Environment } from "../workspace/command-environment.ts";
import type { CommandTimes } from "../workspace/command-times.ts";
import { isInside, type PathGuard } from "../workspace/path-guard.ts";
import type { Places } from "../workspace/places.ts";
import { isDeniedHost } from "./decide-permission.ts";
import type { ProgramSetting } from "./program-setting.ts";
import type { Rule } from "./rule.ts";
import { refusalOfCommands } from "./session-sandbox.ts";
import type { AgentSettings } from "./settings.ts";

/** What hooks and servers are started with. */
export interface ProgramPorts {
  readonly sandbox: Sandbox;
  readonly settings: Pick<AgentSettings, "sandbox">;
  readonly permissions: { readonly rules: readonly Rule[] };
  readonly guard: PathGuard;
  readonly places: Pick<Places, "home" | "agentHome">;
  /** The agent's own. */
  readonly environment: Environment;
  /** Is told when programs run that can change the project: what they change of its instructions has to be seen. @default nobody */
  readonly commandTimes?: Pick<CommandTimes, "begin">;
}

/** A program that the agent starts by itself, as the settings describe it. */
export interface Program extends ProgramSetting, Pick<SandboxRequest, "writes" | "ownFolder"> {
  readonly words: readonly string[];
  readonly environment: Environment;
  /** Variables that the settings give to this program only. */
  readonly own?: Environment;
}

/** How a hook or a server is started. */
type ProgramStart = StartOutside | StartEnclosed | StartRefused;

interface StartOutside {
  readonly kind: "outside";
}

interface StartEnclosed extends EnclosedLine {
  readonly kind: "enclosed";
  /** Hosts that it asked for so far and may not reach. */
  refused(): readonly string[];
  /** Calls back if the disk gets full while it runs. @returns ends the watch */
  guardDisk(onFull: () => void): () => void;
  /** To be called when it has ended. */
  finish(): Promise<EnclosedEnd>;
}

interface StartRefused {
  readonly kind: "refused";
  readonly reason: string;
}

/**
 * Encloses a hook or a server by the same policy as commands. Outside of the sandbox it runs if the user's own settings say so, or if the
 * machine has no sandbox, unless one is required: the user has written it, or trusted it.
 */
export async function encloseProgram(program: Program, ports: ProgramPorts): Promise<ProgramStart> {
  const { sandbox, settings, permissions, guard, places } = ports;
  if (program.sandbox === "off") return { kind: "outside" };
  if (sandbox.kind === "none") {
    const reason = refusalOfCommands(sandbox, settings.sandbox, permissions.rules);
    return reason === undefined ? { kind: "outside" } : { kind: "refused", reason };
  }
  const { words, environment, own = {}, from, hosts = [], writes, ownFolder } = program;
  const folder = guard.roots[0]!;
  const noteEnd = writes === "own-folder" ? undefined : await ports.commandTimes?.begin();
  const started: Enclosed[] = [];
  try {
    const enclosed = await sandbox.enclose({
      folder,
      hosts: hosts.filter((host) => !isDeniedHost(permissions.rules, host)),
      named: from === "user" ? await filesOfHome(words, places) : [],
      ...(writes === undefined ? {} : { writes }),
      ...(ownFolder === undefined ? {} : { ownFolder }),
    });
    started.push(enclosed);
    const shell = findShell(ports.environment, guard.roots);
    return {
      kind: "enclosed",
      ...enclosedLine(words, { enclosed, shell, environment, own }),
      refused: enclosed.refused,
      guardDisk: (onFull) => guardDisk(folder, sandbox.policy.limits.minFreeBytes, onFull),
      async finish() {
        await noteEnd?.();
        return enclosed.finish();
      },
    };
  } catch (error) {
    await noteEnd?.();
    await started[0]?.finish();
    throw error;
  }
}

/** What to say to the user when an enclosed program fails: it may be for want of what the sandbox keeps from it. */
export function enclosureAdvice({ from }: ProgramSetting): string {
  const own = from === "user" ? ', or "sandbox": "off" lets it out' : "";
  return `It ran in the sandbox. If it needs more: "hosts" names hosts that it may reach, readablePaths names folders that it may read${own} (settings.json).`;
}

/** Files of the home that the words of a program name. The user has written them, so that the program finds its own script. */
async function filesOfHome(
  words: readonly string[],
  { home, agentHome }: Pick<Places, "home" | "agentHome">,
): Promise<readonly string[]> {
  const parts = words.flatMap((word) => [word, ...word.split(/[\s'"`;|&()<>=]+/)]);
  const paths = parts.map((part) => part.replace(/^(~|\$HOME|\$\{HOME\})(?=\/)/, home)).map((path) => join(path));
  const candidates = [...new Set(paths)].filter((path) => [home, agentHome].some((place) => isInside(path, place)));
  const facts = await Promise.all(candidates.map((path) => stat(path).catch(() => undefined)));
  return candidates.filter((_, at) => facts[at]?.isFile() === true);
}
