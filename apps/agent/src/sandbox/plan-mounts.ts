import { execFile } from "node:child_process";
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isInside } from "../workspace/path-guard.ts";
import { makePrivateFolder, writePrivateFile } from "../workspace/private-files.ts";
import type { SandboxPolicy } from "./policy.ts";
import type { Cover, Places } from "./repository-places.ts";

/** A path that exists, links followed. */
export interface ExistingPath {
  readonly path: string;
  readonly kind: "file" | "folder";
}

/** Files and folders of the session that stand in for others. */
export interface StandIns {
  /** Seen as /tmp; kept between commands. */
  readonly temporaryFolder: string;
  /** Seen as the home; kept between commands. */
  readonly homeFolder: string;
  /** The user's name and address for commits, seen as `.gitconfig`. */
  readonly gitConfig: string;
  readonly emptyFolder: string;
  readonly emptyFile: string;
  /** Says "." */
  readonly itselfFile: string;
}

interface MountPlan {
  readonly policy: Pick<SandboxPolicy, "roots" | "limits">;
  readonly standIns: StandIns;
  /** Homes of other users. */
  readonly homes: readonly string[];
  readonly home: string | undefined;
  /** Of the home, and of other places that are hidden. */
  readonly readable: readonly string[];
  /** Of the system: seen as empty. */
  readonly secrets: readonly ExistingPath[];
  readonly places: Places;
  /** Seen as empty, whatever else is said: mounted last. */
  readonly hidden: readonly ExistingPath[];
  /** Files that are seen although all around them is hidden: the user has named them. */
  readonly named: readonly string[];
  /** Where the command begins. */
  readonly folder: string;
  /** `read`: nothing in the roots can be changed. */
  readonly project: "read" | "write";
  /** `shared`: with whoever starts it, who has one of his own. */
  readonly network: "none" | "shared";
  /** The descriptor that the seccomp filter is read from. */
  readonly filterDescriptor: number;
}

/**
 * Arguments for bubblewrap. Programs see the system, read-only, without homes, secrets and sockets; they can write to the roots, to a
 * home and a /tmp of their own; they have no processes but their own, no terminal and no capabilities, even where root runs them.
 */
export function planMounts(plan: MountPlan): readonly string[] {
  const { policy, standIns, homes, home, readable, secrets, places, hidden, named, folder, network } = plan;
  const { roots, limits } = policy;
  const bindRoot = plan.project === "write" ? "--bind" : "--ro-bind";
  const { temporaryFolder, homeFolder, gitConfig } = standIns;
  const limited = ["--size", String(limits.maxTemporaryBytes), "--tmpfs"];
  const shown = [...roots, ...readable];
  // What lies in the real /tmp or the real home is not seen anyway, and has no place in the others.
  const isSeen = ({ path }: ExistingPath): boolean =>
    shown.some((place) => isInside(path, place)) ||
    !["/tmp", ...homes, ...(home === undefined ? [] : [home])].some((place) => isInside(path, place));
  const isInner = ({ path }: ExistingPath): boolean =>
    hidden.some((outer) => outer.path !== path && isInside(path, outer.path));
  const unseen = hidden.filter((one) => isSeen(one) && !isInner(one));
  return [
    ...["--die-with-parent", "--new-session", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    ...(network === "none" ? ["--unshare-net"] : []),
    ...["--cap-drop", "ALL", "--seccomp", String(plan.filterDescriptor)],
    ...["--ro-bind", "/", "/", "--dev", "/dev", ...limited, "/dev/shm", "--proc", "/proc"],
    // Sockets of daemons and key agents live there.
    ...["--tmpfs", "/run", "--bind", temporaryFolder, "/tmp"],
    ...homes.flatMap((path) => [...limited, path]),
    ...(home === undefined ? [] : ["--bind", homeFolder, home, "--ro-bind", gitConfig, `${home}/.gitconfig`]),
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    ...secrets.filter(isSeen).flatMap((one) => [...hide(one), ...close(one)]),
    ...roots.flatMap((root) => [bindRoot, root, root]),
    // What something is mounted on cannot be renamed; its parent can.
    ...places.bound.flatMap((path) => ["--bind", path, path]),
    ...places.readOnly.flatMap((path) => ["--ro-bind", path, path]),
    ...places.covered.flatMap((cover) => ["--ro-bind", standInOf(cover, standIns), cover.path]),
    ...unseen.flatMap(hide),
    ...named.flatMap((path) => ["--ro-bind", path, path]),
    ...unseen.flatMap(close),
    ...["--chdir", folder, "--"],
  ];
}

/** A device where no devices are allowed: it cannot be opened. */
const NOTHING = "/dev/null";

function hide({ path, kind }: ExistingPath): readonly string[] {
  return kind === "folder" ? ["--tmpfs", path] : ["--ro-bind", NOTHING, path];
}

/** Once nothing is to be mounted in it any more. */
function close({ path, kind }: ExistingPath): readonly string[] {
  return kind === "folder" ? ["--remount-ro", path] : [];
}

function standInOf({ as }: Cover, { emptyFolder, emptyFile, itselfFile }: StandIns): string {
  return { folder: emptyFolder, empty: emptyFile, itself: itselfFile }[as];
}

/** A `commondir` that changes nothing: the repository's folder is its own. */
export const ITSELF = ".\n";

/** Makes the files and folders that enclosed programs see in the place of others. */
export async function createStandIns(
  sandboxFolder: string,
  { git, home }: { readonly git: string | undefined; readonly home: string },
): Promise<StandIns> {
  const at = (name: string): string => join(sandboxFolder, name);
  for (const name of ["tmp", "home", "empty-folder"]) await makePrivateFolder(at(name));
  // Bubblewrap would make it as the umask says.
  for (const name of ["empty-file", "home/.gitconfig"]) await writePrivateFile(at(name), "");
  await writePrivateFile(at("itself"), ITSELF);
  await writePrivateFile(at("gitconfig"), await gitIdentity(git, home));
  return {
    temporaryFolder: at("tmp"),
    homeFolder: at("home"),
    gitConfig: at("gitconfig"),
    emptyFolder: at("empty-folder"),
    emptyFile: at("empty-file"),
    itselfFile: at("itself"),
  };
}

/** The user's name and address for commits, and nothing else of his settings: those name helpers and keys. */
async function gitIdentity(git: string | undefined, home: string): Promise<string> {
  if (git === undefined) return "";
  const ask = async (key: string): Promise<string> => {
    const env = { HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
    const { stdout } = await promisify(execFile)(git, ["config", "--global", "--get", key], { env, cwd: "/" });
    return `\t${key.slice("user.".length)} = ${JSON.stringify(stdout.trim())}\n`;
  };
  const lines = await Promise.all(["user.name", "user.email"].map((key) => ask(key).catch(() => "")));
  // Roots belong to the user; in the sandbox their owner may look like another one.
  return `[user]\n${lines.join("")}[safe]\n\tdirectory = *\n`;
}

/** What lies outside of the roots. It does not change while a session lasts. */
export interface Around {
  /** Of all users. */
  readonly homes: readonly string[];
  /** Undefined where the user's home does not exist: then there is nothing to hide. */
  readonly home: string | undefined;
  readonly readable: readonly string[];
  readonly secrets: readonly ExistingPath[];
}

/** What only root could read, and is shown to nobody. */
const SYSTEM_SECRETS = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh"],
  ...["/etc/ssl/private", "/etc/wireguard", "/etc/NetworkManager/system-connections", "/var/spool/cron", "/var/mail"],
];

export async function lookAround({ home, readable }: SandboxPolicy): Promise<Around> {
  const homes = (await existing(["/home", "/root"])).map(({ path }) => path);
  const [own] = home === "/" ? [] : await existing([home]);
  const isThere = await Promise.all(readable.map((path) => existing([path])));
  return {
    homes: homes.filter((path) => path !== own?.path),
    home: own?.path,
    // Under the names that programs know them by, which may be links.
    readable: readable.filter((_, at) => isThere[at]!.length > 0),
    secrets: process.getuid?.() === 0 ? await existing(SYSTEM_SECRETS) : [],
  };
}

/** Those that exist, links followed. */
export async function existing(paths: readonly string[]): Promise<readonly ExistingPath[]> {
  const found = await Promise.all(
    paths.map(async (path): Promise<readonly ExistingPath[]> => {
      try {
        const kind = (await stat(path)).isDirectory() ? "folder" : "file";
        return [{ path: await realpath(path), kind }];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
