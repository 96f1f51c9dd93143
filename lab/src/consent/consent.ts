import { posix } from "node:path";
import {
  decidePermission,
  offeredRules,
  type PathGuard,
  type PermissionCall,
  toPermissionCall,
} from "palimpsest-agent";
import type { Experiment } from "../experiment.ts";
import { readTraces, tracesFolder } from "../traces.ts";
import { needsNetwork } from "./network-needs.ts";

interface RecordedCommand {
  readonly text: string;
  /** Of the session. */
  readonly project: string;
  /** Where it was run. */
  readonly folder: string;
}

/** Every n-th transcript in a quick run. */
const QUICK_NTH = 8;
const BASH = { name: "Bash", effect: "run", commands: "sandbox" } as const;

/**
 * How often somebody would be asked about the commands of recorded sessions, in the mode `auto` and inside the sandbox. A command
 * that needs the network counts as if it had asked for it; the project is the folder in which its session was begun.
 */
export const consentExperiment: Experiment = {
  name: "consent",
  about:
    "the shell commands of recorded sessions: which would run unasked in the sandbox, and why others not (PALIMPSEST_TRACES)",
  needs: "traces",
  async run({ size }) {
    const reasons = new Map<string, number>();
    const counts = { commands: 0, elsewhere: 0, unasked: 0, bare: 0, network: 0, unparsed: 0, offered: 0 };
    for await (const command of recordedCommands(size === "quick" ? QUICK_NTH : 1)) {
      counts.commands++;
      const call = await toCall(command);
      const verdict = decidePermission("auto", [], call);
      if (call.command?.line.kind === "unparsed") counts.unparsed++;
      const isElsewhere = !isInside(command.folder, command.project);
      if (isElsewhere) counts.elsewhere++;
      const reason = isElsewhere ? "run_elsewhere" : reasonOf(verdict.reason);
      if (verdict.decision === "allow" && !isElsewhere) counts.unasked++;
      else reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      // As where every command is asked: what would be offered with it.
      const asked = decidePermission("default", [], call);
      const offered = offeredRules("default", [], call, asked);
      if (offered.length > 0) counts.offered++;
      if (offered.some((rule) => /^[\w*]+$|^\w+\(\**\s?\**\)$/.test(rule))) counts.bare++;
      if (offered.some((rule) => rule.startsWith("Network"))) counts.network++;
    }
    const { commands, elsewhere, unasked, bare, network, unparsed, offered } = counts;
    if (commands === 0) throw new Error(`No recorded command below ${tracesFolder()}; set PALIMPSEST_TRACES.`);
    return {
      commands,
      unasked,
      asked: commands - unasked,
      unasked_pct: percent(unasked, commands),
      // Of those that were not run in another folder than the session's.
      unasked_in_project_pct: percent(unasked, commands - elsewhere),
      offered_pct: percent(offered, commands),
      bare,
      network,
      unparsed,
      by_reason: Object.fromEntries([...reasons].sort(([, one], [, other]) => other - one)),
    };
  },
};

async function toCall({ text, project, folder }: RecordedCommand): Promise<PermissionCall> {
  const home = /^\/(?:home|Users)\/[^/]+|^\/root/.exec(project)?.[0] ?? "/home/user";
  const places = { guard: recordedGuard(project, folder), home, enclosure: "sandbox" } as const;
  const call = await toPermissionCall(BASH, { command: text }, places);
  const line = call.command?.line;
  return line?.kind === "parsed" && needsNetwork(line.commands) ? { ...call, hosts: "any" } : call;
}

/** The folders of recorded sessions are not on this machine: paths are compared as they are written. */
function recordedGuard(project: string, folder: string): PathGuard {
  return {
    roots: [project],
    async locate(path) {
      const real = posix.resolve(folder, toPosix(path));
      return isInside(real, project) ? { kind: "inside", path: real, root: project } : { kind: "outside", path: real };
    },
  };
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

async function* recordedCommands(everyNth: number): AsyncGenerator<RecordedCommand> {
  for await (const { entries } of readTraces(everyNth)) {
    let project = "/project";
    for (const entry of entries) {
      if (entry.kind === "session") project = toPosix(entry.cwd ?? project);
      if (entry.kind !== "message") continue;
      for (const block of entry.blocks) {
        if (block.kind !== "tool_call" || !/^(bash|exec_command|shell)$/i.test(block.name)) continue;
        const { command, cmd, workdir } = (block.input ?? {}) as Readonly<Record<string, unknown>>;
        const text = typeof command === "string" ? command : cmd;
        if (typeof text !== "string" || text.trim() === "") continue;
        yield {
          text,
          project,
          folder: typeof workdir === "string" ? posix.resolve(project, toPosix(workdir)) : project,
        };
      }
    }
  }
}

/** As bash for Windows writes it: `D:\\a` and `D:/a` are `/d/a`. */
function toPosix(path: string): string {
  const drive = /^([A-Za-z]):[\\/]/.exec(path)?.[1];
  return drive === undefined ? path : `/${drive.toLowerCase()}/${path.slice(3).replaceAll("\\", "/")}`;
}

function reasonOf(reason: string): string {
  if (reason.startsWith("It wants to reach")) return "network";
  if (reason.startsWith("It names")) return "outside";
  if (reason.startsWith("It changes settings of git")) return "git_settings";
  return reason.startsWith("It changes") ? "protected" : "unparsed";
}

function percent(part: number, whole: number): number {
  return Math.round((part / whole) * 1_000) / 10;
}
