import { execFile } from "node:child_process";
import { mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isInside } from "../files/path-guard.ts";
import { makePrivateFolder, writePrivateFile } from "../files/private-files.ts";
import { planSandbox } from "./plan-sandbox.ts";

/** What encloses commands, or why nothing does. */
export type Sandbox =
  | { readonly kind: "bubblewrap"; enclose(wanted: Enclosure): Promise<readonly string[]> }
  | { readonly kind: "none"; readonly reason: string };

export interface Enclosure {
  /** Where the command begins. */
  readonly folder: string;
  readonly network: "allowed" | "none";
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
/** In a project: what the user's own programs would run, or take their settings from. */
const PROTECTED = [".git/hooks", ".git/config", ".palimpsest"];

const INSTALL = "Install it (on Debian and Ubuntu: apt-get install bubblewrap) to keep them inside the project.";

/** Tries the sandbox, since one that is installed may not work: containers often forbid what it needs. */
export async function findSandbox(options: SandboxOptions): Promise<Sandbox> {
  const open = "commands run with all the rights of your user";
  if (process.platform !== "linux")
    return { kind: "none", reason: `There is no sandbox for ${process.platform} yet: ${open}.` };
  const enclose = (wanted: Enclosure): Promise<readonly string[]> => encloseCommand(wanted, options);
  try {
    const [program, ...args] = await enclose({ folder: options.roots[0]!, network: "none" });
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

async function encloseCommand(
  { folder, network }: Enclosure,
  { roots, home, sandboxFolder }: SandboxOptions,
): Promise<readonly string[]> {
  const [temporaryFolder, emptyFile] = [join(sandboxFolder, "tmp"), join(sandboxFolder, "empty")];
  await makePrivateFolder(temporaryFolder);
  await writePrivateFile(emptyFile, "");
  for (const root of roots) {
    // A hook that does not exist yet would be run as well as one that does.
    if ((await kindOf(join(root, ".git"))) === "folder") await mkdir(join(root, ".git/hooks"), { recursive: true });
  }
  const gits = await existing(roots.map((root) => join(root, ".git")));
  const hidden = await existing(SECRETS.map((path) => join(home, path)));
  return planSandbox({
    ...{ folder, network, roots, emptyFile, temporaryFolder },
    // What lies in the real /tmp is not seen anyway, and has no place in the other.
    hidden: hidden.filter(({ path }) => !isInside(path, "/tmp")),
    // A repository that is put aside would take its protected parts with it.
    fixed: gits.filter(({ kind }) => kind === "folder"),
    // In a worktree, .git is a file that says where the repository is.
    readOnly: [
      ...gits.filter(({ kind }) => kind === "file"),
      ...(await existing(roots.flatMap((root) => PROTECTED.map((path) => join(root, path))))),
    ],
  });
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
