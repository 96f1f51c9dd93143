import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../workspace/command-environment.ts";
import { isInside } from "../workspace/path-guard.ts";
import { writePrivateFile } from "../workspace/private-files.ts";
import { type CoverRegister, openCoverRegister } from "./cover-register.ts";
import { findChanges, type ProjectChange } from "./describe-changes.ts";
import { findProgram } from "./find-program.ts";
import { keepPlaces } from "./keep-places.ts";
import { openNetworkBridge } from "./network-bridge.ts";
import {
  type Around,
  createStandIns,
  type ExistingPath,
  existing,
  ITSELF,
  lookAround,
  planMounts,
  type StandIns,
} from "./plan-mounts.ts";
import type { SandboxLimits, SandboxPolicy, SandboxRequest } from "./policy.ts";
import { type Cover, NOWHERE, type Places } from "./repository-places.ts";
import { createProjectScanner, type FoundName, MAX_FOLDERS, type ProjectScan } from "./scan-project.ts";

/** How one program is started so that it obeys the policy. */
export interface Enclosed {
  /** A program with its arguments, before the enclosed one. It finds the filter at descriptor 4. */
  readonly startedBy: readonly string[];
  readonly filterFile: string;
  /** A line for bash that sets the limits, to be run before the program. */
  readonly limits: string;
  /** On top of the program's own. */
  readonly environment: Environment;
  /** Hosts that it asked for so far and may not reach, each once. */
  refused(): readonly string[];
  /** To be called when it has ended: cleans up. Resolves to what is to be said of it. */
  finish(): Promise<EnclosedEnd>;
}

export interface EnclosedEnd {
  /** Hosts that it asked for and may not reach. */
  readonly refused: readonly string[];
  /** Names that programs of the user obey and that were made while it ran. */
  readonly changes: readonly ProjectChange[];
}

/** Encloses the programs of one session. */
export interface Encloser {
  enclose(request: SandboxRequest): Promise<Enclosed>;
  /** Whether all protected names of the project are known: in a very large one, those that lie deep are not. */
  extent(): Promise<ProjectScan["extent"]>;
}

/** Behind the standard ones, and the pipe on which a command tells its folder. */
const FILTER_DESCRIPTOR = 4;

export interface EncloserOptions {
  readonly policy: SandboxPolicy;
  /** Of the session: what programs find as their home and as /tmp. */
  readonly sandboxFolder: string;
  /** Of all sessions of the user: the covers that they have made. */
  readonly coversFile: string;
  /** Where bubblewrap, socat, bash and git are looked for, outside of every root. */
  readonly path: string | undefined;
  /** Whether an absolute path in a root fits one of the policy's hidden patterns. */
  readonly isHidden: (path: string) => boolean;
  /** How many folders of the project are looked into. @default 50,000 */
  readonly maxFolders?: number;
}

/** Encloses one program after the other. What it keeps between them is of this session only. */
export function createEncloser(
  { policy, sandboxFolder, coversFile, path, isHidden, maxFolders = MAX_FOLDERS }: EncloserOptions,
  { bwrap, filter }: { readonly bwrap: string; readonly filter: Uint8Array },
): Encloser {
  const scanner = createProjectScanner({ roots: policy.roots, isHidden, maxFolders });
  const filterFile = join(sandboxFolder, "filter");
  const standIns = new Map<string, Promise<StandIns>>();
  let around: Promise<Around> | undefined;
  let register: CoverRegister | undefined;
  /** Programs that can write to the project. */
  let running = 0;
  /** What the project held when last looked at while nothing was running: nobody can exchange it in between. */
  let begun: Promise<ProjectScan> | undefined;
  let seen: ReadonlyMap<string, FoundName> = new Map();
  let extent: ProjectScan["extent"] | undefined;
  /** Places that are made to mount something on, by this session and by others. */
  let covers: readonly Cover[] = [];

  async function enclose(request: SandboxRequest): Promise<Enclosed> {
    return request.writes === "own-folder" ? encloseReader(request) : encloseWriter(request);
  }

  /** It can change nothing in the project, so nothing has to be kept from it. */
  async function encloseReader(request: SandboxRequest): Promise<Enclosed> {
    const hidden = policy.hiddenPatterns.length === 0 ? [] : (await scanner.scan()).hidden;
    return start(request, { places: NOWHERE, hidden: await existing(hidden), finish: async () => [] });
  }

  async function encloseWriter(request: SandboxRequest): Promise<Enclosed> {
    register ??= openCoverRegister(coversFile, policy.roots);
    const held = register;
    running++;
    try {
      if (running === 1) begun = begin(held);
      const scan = await begun!;
      const kept = await keepPlaces(policy, { ...scan, names: uncovered(scan.names, covers) });
      covers = held.add(kept.covered.filter(({ path }) => !isCovered(path, covers)));
      await placeItself(covers);
      const places: Places = {
        bound: kept.bound.filter((path) => !isCovered(path, covers)),
        readOnly: kept.readOnly.filter((path) => !isCovered(path, covers)),
        covered: covers.filter(
          ({ path }) => !covers.some((outer) => outer.path !== path && isInside(path, outer.path)),
        ),
      };
      return await start(request, { places, hidden: await existing(scan.hidden), finish: () => end(held) });
    } catch (error) {
      // Nothing has started: what was made for it goes, unless another program needs it.
      if (--running === 0) covers = held.release();
      throw error;
    }
  }

  async function begin(held: CoverRegister): Promise<ProjectScan> {
    covers = held.hold();
    const scan = await look();
    seen = scan.names;
    return scan;
  }

  async function end(held: CoverRegister): Promise<readonly ProjectChange[]> {
    running--;
    const staying = running === 0 ? held.release() : covers;
    const { names } = await look();
    // Other sessions come and go.
    const made = [...staying, ...covers, ...held.add([])];
    if (running === 0) covers = staying;
    const now = uncovered(names, made);
    const changes = await findChanges(seen, now, policy.roots);
    seen = now;
    return changes;
  }

  async function start(
    { folder, hosts, writes, ownFolder = sandboxFolder, named = [] }: SandboxRequest,
    {
      places,
      hidden,
      finish,
    }: { places: Places; hidden: readonly ExistingPath[]; finish: () => Promise<EnclosedEnd["changes"]> },
  ): Promise<Enclosed> {
    if (!standIns.has(ownFolder)) standIns.set(ownFolder, prepare(ownFolder));
    around ??= lookAround(policy);
    const wanted = hosts === "any" ? hosts : [...policy.network.hosts, ...hosts];
    const bridge = wanted.length === 0 ? undefined : await openBridge(wanted);
    const mounts = planMounts({
      ...(await around),
      policy,
      standIns: await standIns.get(ownFolder)!,
      places,
      hidden: [...hidden, ...(await existing(policy.hidden))],
      named,
      folder,
      project: writes === "own-folder" ? "read" : "write",
      network: bridge === undefined ? "none" : "shared",
      filterDescriptor: FILTER_DESCRIPTOR,
    });
    return {
      startedBy: [...(bridge?.startedBy ?? []), bwrap, ...mounts],
      filterFile,
      limits: limitsLine(policy.limits),
      environment: { TMPDIR: "/tmp", ...bridge?.environment },
      refused: () => bridge?.refused() ?? [],
      async finish() {
        const refused = bridge?.refused() ?? [];
        await bridge?.close();
        return { refused, changes: await finish() };
      },
    };
  }

  async function prepare(folder: string): Promise<StandIns> {
    await writePrivateFile(filterFile, filter);
    return createStandIns(folder, { git: findProgram("git", path, policy.roots), home: policy.home });
  }

  async function openBridge(hosts: SandboxRequest["hosts"]) {
    const [socat, bash] = ["socat", "bash"].map((name) => findProgram(name, path, policy.roots));
    if (socat === undefined || bash === undefined)
      throw new Error("socat is not installed. The sandbox needs it for the network (apt-get install socat).");
    return openNetworkBridge(hosts, { bwrap, socat, bash });
  }

  async function look(): Promise<ProjectScan> {
    const scan = await scanner.scan();
    extent = scan.extent;
    return scan;
  }

  return { enclose, extent: async () => extent ?? (await look()).extent };
}

function isCovered(path: string, covers: readonly Cover[]): boolean {
  return covers.some((cover) => isInside(path, cover.path));
}

function uncovered(names: ProjectScan["names"], covers: readonly Cover[]): ProjectScan["names"] {
  return new Map([...names].filter(([path]) => !isCovered(path, covers)));
}

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

interface EnclosedLineOptions {
  readonly enclosed: Enclosed;
  /** The path of bash, outside of every root. */
  readonly shell: string;
  readonly environment: Environment;
  /** Variables that only the program itself gets. */
  readonly own?: Environment;
}

/** A program with its arguments, for whoever starts programs without further descriptors. */
export interface EnclosedLine {
  readonly line: readonly [program: string, ...args: string[]];
  readonly environment: Environment;
}

const OWN = "PALIMPSEST_OWN_";

/**
 * The whole line of an enclosed program. A first bash opens the filter for bubblewrap, a second one inside of the sandbox sets the limits.
 * The program's own variables get other names on the way: those of settings could name a library for the loader, or a file
 * for bash, and what starts the sandbox must not obey them.
 */
export function enclosedLine(
  words: readonly string[],
  { enclosed, shell, environment, own = {} }: EnclosedLineOptions,
): EnclosedLine {
  const { startedBy, filterFile, limits } = enclosed;
  const names = Object.keys(own);
  const wrong = names.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong !== undefined)
    throw new Error(
      `The sandbox cannot pass on the variable ${JSON.stringify(wrong)}: a name has letters, digits and _.`,
    );
  const given = names.map((name) => `export ${name}="$${OWN}${name}"; unset ${OWN}${name}; `).join("");
  const bash = [shell, "--noprofile", "--norc", "-c"] as const;
  return {
    line: [
      ...[...bash, 'exec 4<"$0"; exec "$@"', filterFile, ...startedBy],
      ...[...bash, `${limits}; ${given}exec -- "$@"`, "bash", ...words],
    ] as readonly string[] as EnclosedLine["line"],
    environment: {
      ...environment,
      ...enclosed.environment,
      ...Object.fromEntries(names.map((name) => [`${OWN}${name}`, own[name]])),
    },
  };
}
