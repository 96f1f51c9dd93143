import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { makePrivateFolder, writePrivateFile } from "../workspace/private-files.ts";
import type { StandIns } from "./plan-mounts.ts";

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
