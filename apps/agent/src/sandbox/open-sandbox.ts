import { execFile } from "node:child_process";
import { readFile, rmdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../workspace/command-environment.ts";
import { writePrivateFile } from "../workspace/private-files.ts";
import { describeChanges } from "./describe-changes.ts";
import { findProgram } from "./find-program.ts";
import { keepPlaces } from "./keep-places.ts";
import { openNetworkBridge } from "./network-bridge.ts";
import { planMounts, type StandIns } from "./plan-mounts.ts";
import type { SandboxLimits, SandboxPolicy, SandboxRequest } from "./policy.ts";
import type { Cover } from "./repository-places.ts";
import { createProjectScanner, type ProjectScan } from "./scan-project.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import { createStandIns, ITSELF } from "./stand-ins.ts";
import { type Around, existing, lookAround } from "./surroundings.ts";

/** What encloses programs, or why nothing does. */
export type Sandbox =
  | {
      readonly kind: "bubblewrap";
      readonly policy: SandboxPolicy;
      enclose(request: SandboxRequest): Promise<Enclosed>;
    }
  | { readonly kind: "none"; readonly reason: string };

/** How one program is started so that it obeys the policy. */
export interface Enclosed {
  /** A program with its arguments, before the enclosed one. It finds the filter at descriptor 4. */
  readonly startedBy: readonly string[];
  readonly filterFile: string;
  /** A line for bash that sets the limits, to be run before the program. */
  readonly limits: string;
  /** On top of the program's own. */
  readonly environment: Environment;
  /** To be called when it has ended: cleans up. Resolves to what is to be said of it, one line each. */
  finish(): Promise<readonly string[]>;
}

/** Behind the standard ones, and the pipe on which a command tells its folder. */
const FILTER_DESCRIPTOR = 4;

export interface SandboxOptions {
  readonly policy: SandboxPolicy;
  /** Of the session: what programs find as their home and as /tmp. */
  readonly sandboxFolder: string;
  /** Where bubblewrap, socat, bash and git are looked for, outside of every root. */
  readonly path: string | undefined;
  /** Whether an absolute path in a root fits one of the policy's hidden patterns. */
  readonly isHidden: (path: string) => boolean;
}

/** Whether namespaces and mounts are to be had at all. */
const PROBE = [
  ...["--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-net", "--cap-drop", "ALL"],
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--"],
];
const OPEN = "commands run with all the rights of your user";
const INSTALL = "Install it (on Debian and Ubuntu: apt-get install bubblewrap) to keep them inside the project.";
/** Tries the sandbox, since one that is installed may not work: containers often forbid what it needs. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { policy, path } = options;
  if (process.platform !== "linux")
    return { kind: "none", reason: `There is no sandbox for ${process.platform} yet: ${OPEN}.` };
  const bwrap = findProgram("bwrap", path, policy.roots);
  if (bwrap === undefined) return { kind: "none", reason: `bubblewrap (bwrap) is not installed: ${OPEN}. ${INSTALL}` };
  const filter = seccompFilter(process.arch);
  if (filter === undefined)
    return { kind: "none", reason: `The sandbox does not know the processor (${process.arch}): ${OPEN}.` };
  const enclose = createEncloser(options, { bwrap, filter });
  try {
    await promisify(execFile)(bwrap, [...PROBE, "/bin/sh", "-c", ":"], { timeout: 20_000, env: {} });
    return { kind: "bubblewrap", policy, enclose };
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    return { kind: "none", reason: `bubblewrap (bwrap) does not work here: ${OPEN}. It says: ${said}` };
  }
}

/** Encloses one program after the other. What it keeps between them is of this session only. */
function createEncloser(
  { policy, sandboxFolder, path, isHidden }: SandboxOptions,
  { bwrap, filter }: { readonly bwrap: string; readonly filter: Uint8Array },
): (request: SandboxRequest) => Promise<Enclosed> {
  const scanner = createProjectScanner({ roots: policy.roots, isHidden });
  const filterFile = join(sandboxFolder, "filter");
  let standIns: Promise<StandIns> | undefined;
  let around: Promise<Around> | undefined;
  let running = 0;
  /** What the project held when last looked at while nothing was running: nobody can exchange it in between. */
  let scan: ProjectScan | undefined;
  let seen: ProjectScan["names"] = new Map();
  /** Places that bubblewrap has made to mount something on. */
  const made = new Map<string, Cover>();

  async function prepare(): Promise<StandIns> {
    await writePrivateFile(filterFile, filter);
    return createStandIns(sandboxFolder, { git: findProgram("git", path, policy.roots), home: policy.home });
  }

  async function enclose({ folder, hosts }: SandboxRequest): Promise<Enclosed> {
    standIns ??= prepare();
    around ??= lookAround(policy);
    const ready = await standIns;
    running++;
    try {
      if (running === 1 || scan === undefined) {
        scan = await scanner.scan();
        seen = scan.names;
      }
      const kept = await keepPlaces(policy, scan);
      if (running === 1) await placeItself(kept.covered);
      for (const cover of kept.covered) made.set(cover.path, cover);
      // Those that were made for commands that still run exist by now, and have to be covered as well.
      const places = { ...kept, covered: [...made.values()] };
      const hidden = [...(await existing(scan.hidden)), ...(await existing(policy.hidden))];
      const wanted = hosts === "any" ? hosts : [...policy.network.hosts, ...hosts];
      const bridge = wanted.length === 0 ? undefined : await openBridge(wanted);
      const mounts = planMounts({
        ...(await around),
        policy,
        standIns: ready,
        places,
        hidden,
        folder,
        network: bridge === undefined ? "none" : "shared",
        filterDescriptor: FILTER_DESCRIPTOR,
      });
      return {
        startedBy: [...(bridge?.startedBy ?? []), bwrap, ...mounts],
        filterFile,
        limits: limitsLine(policy.limits),
        environment: { TMPDIR: "/tmp", ...bridge?.environment },
        async finish() {
          const refused = bridge?.refused() ?? [];
          await bridge?.close();
          running--;
          if (running === 0) await removeMade();
          const after = await scanner.scan();
          const now = new Map([...after.names].filter(([path]) => !made.has(path)));
          const changes = await describeChanges(seen, now, policy.roots);
          seen = now;
          const asked = refused.map((host) => `[refused: ${host}. Name it in network to ask the user for it.]`);
          return [...asked, ...changes];
        },
      };
    } catch (error) {
      running--;
      throw error;
    }
  }

  async function openBridge(hosts: SandboxRequest["hosts"]) {
    const [socat, bash] = ["socat", "bash"].map((name) => findProgram(name, path, policy.roots));
    if (socat === undefined || bash === undefined)
      throw new Error("socat is not installed. The sandbox needs it for the network (apt-get install socat).");
    return openNetworkBridge(hosts, { bwrap, socat, bash });
  }

  /** Only what is still as bubblewrap has made it, and while nothing runs: where a place is removed, its mount goes as well. */
  async function removeMade(): Promise<void> {
    const longestFirst = [...made.values()].sort((one, other) => other.path.length - one.path.length);
    made.clear();
    for (const { path, as } of longestFirst) {
      if (as === "folder") await rmdir(path).catch(() => undefined);
      else if (AS_MADE.includes(await readFile(path, "utf8").catch(() => "gone"))) {
        await unlink(path).catch(() => undefined);
      }
    }
  }

  return enclose;
}

/** What the files hold that are made to mount something on. */
const AS_MADE = ["", ITSELF];

/**
 * The user's git reads `commondir` while a command runs, and gives up if it is empty. Bubblewrap would make it empty. Never over an
 * existing file, and not through a link.
 */
async function placeItself(covers: readonly Cover[]): Promise<void> {
  for (const { path, as } of covers) {
    if (as === "itself") await writeFile(path, ITSELF, { flag: "wx" }).catch(() => undefined);
  }
}

/** The command is the first to go when memory is short, not the user's editor. */
function limitsLine({ maxProcesses, maxMemoryBytes, maxFileBytes }: SandboxLimits): string {
  const kibibytes = (bytes: number): number => Math.floor(bytes / 1_024);
  return (
    `ulimit -u ${maxProcesses} 2>/dev/null; ulimit -d ${kibibytes(maxMemoryBytes)} 2>/dev/null; ` +
    `ulimit -f ${kibibytes(maxFileBytes)} 2>/dev/null; echo 1000 2>/dev/null >/proc/self/oom_score_adj`
  );
}
