import { execFile } from "node:child_process";
import { lstat, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isInside } from "../../workspace/path-guard.ts";
import { makePrivateFolder, writePrivateFile } from "../../workspace/private-files.ts";
import { findRepositories, gitPlaces } from "./git-places.ts";
import { planSandbox } from "./plan-sandbox.ts";

/** What encloses commands, or why nothing does. */
export type Sandbox =
  | { readonly kind: "bubblewrap"; enclose(wanted: Enclosure): Promise<Enclosed> }
  | { readonly kind: "none"; readonly reason: string };

export interface Enclosure {
  /** Where the command begins. */
  readonly folder: string;
  readonly network: "allowed" | "none";
}

export interface Enclosed {
  /** A program with its arguments that the command is started by. */
  readonly startedBy: readonly string[];
  /** What has to be kept as it is while the command runs (`keepNames`). */
  readonly names: readonly string[];
}

export interface SandboxOptions {
  /** Folders that commands may write to: the project first. Links followed. */
  readonly roots: readonly string[];
  readonly home: string;
  /** Of the session. Holds what commands find as /tmp, which is kept between them. */
  readonly sandboxFolder: string;
}

/** In the home: what gives access to something else. Whatever else is secret there should be added here. */
const SECRETS = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".palimpsest", ".config/gcloud"],
  ...[".config/gh", ".config/op", ".config/hub", ".config/git/credentials", ".netrc", ".npmrc", ".pypirc", ".pgpass"],
  ...[".git-credentials", ".vault-token", ".cargo/credentials", ".cargo/credentials.toml", ".terraform.d", ".mozilla"],
  ...[".config/google-chrome", ".config/chromium", ".local/share/keyrings", ".bash_history", ".zsh_history"],
  ...[".gem/credentials", ".m2/settings.xml", ".gradle/gradle.properties", ".claude", ".codex", ".gemini"],
];
const INSTALL = "Install it (on Debian and Ubuntu: apt-get install bubblewrap) to keep them inside the project.";

/** Tries the sandbox, since one that is installed may not work: containers often forbid what it needs. */
export async function findSandbox(options: SandboxOptions): Promise<Sandbox> {
  const open = "commands run with all the rights of your user";
  if (process.platform !== "linux")
    return { kind: "none", reason: `There is no sandbox for ${process.platform} yet: ${open}.` };
  const repositories = await Promise.all(
    options.roots.map(async (root) => (await findRepositories(root)).map((folder) => ({ folder, root }))),
  );
  const known = { ...options, repositories: repositories.flat() };
  const enclose = (wanted: Enclosure): Promise<Enclosed> => encloseCommand(wanted, known);
  try {
    const { startedBy } = await enclose({ folder: options.roots[0]!, network: "none" });
    const [program, ...args] = startedBy;
    await promisify(execFile)(program!, [...args, "true"], { timeout: 10_000 });
    return { kind: "bubblewrap", enclose };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return { kind: "none", reason: `bubblewrap (bwrap) is not installed: ${open}. ${INSTALL}` };
    }
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    return { kind: "none", reason: `bubblewrap (bwrap) does not work here: ${open}. It says: ${said}` };
  }
}

interface KnownOptions extends SandboxOptions {
  /** Those that were there in the beginning. */
  readonly repositories: readonly { readonly folder: string; readonly root: string }[];
}

async function encloseCommand(
  { folder, network }: Enclosure,
  { roots, home, sandboxFolder, repositories }: KnownOptions,
): Promise<Enclosed> {
  const [temporaryFolder, emptyFile] = [join(sandboxFolder, "tmp"), join(sandboxFolder, "empty")];
  await makePrivateFolder(temporaryFolder);
  await writePrivateFile(emptyFile, "");
  const places = await Promise.all(repositories.map(({ folder: of, root }) => gitPlaces(of, root)));
  const own = await Promise.all(roots.map((root) => ownSettings(root)));
  const hidden = await existing(SECRETS.map((path) => join(home, path)));
  const startedBy = planSandbox({
    folder,
    network,
    roots,
    emptyFile,
    temporaryFolder,
    // What lies in the real /tmp is not seen anyway, and has no place in the other.
    hidden: hidden.filter(({ path }) => !isInside(path, "/tmp")),
    // Outer ones first: what is mounted later lies above what was mounted in it before.
    bound: [...new Set(places.flatMap(({ bound }) => bound))].sort((one, other) => one.length - other.length),
    readOnly: [...places.flatMap(({ readOnly }) => readOnly), ...own.flat()],
  });
  return { startedBy, names: places.flatMap(({ names }) => names) };
}

/** The project's settings of the agent. A link could lead anywhere, and what is mounted is not hidden any more. */
async function ownSettings(root: string): Promise<readonly string[]> {
  const path = join(root, ".palimpsest");
  const facts = await lstat(path).catch(() => undefined);
  return facts === undefined || facts.isSymbolicLink() ? [] : [path];
}

async function existing(paths: readonly string[]): Promise<{ path: string; kind: "file" | "folder" }[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const kind = await kindOf(path);
      return kind === undefined ? [] : [{ path: await realpath(path), kind }];
    }),
  );
  return found.flat();
}

async function kindOf(path: string): Promise<"file" | "folder" | undefined> {
  return stat(path).then(
    (facts) => (facts.isDirectory() ? "folder" : "file"),
    () => undefined,
  );
}
