/** `@palimpsest/coordination/project-places`: where the agent keeps its sessions and memories on this machine. */

import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { basename, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folders of one project, in the user's home. */
export interface ProjectPlaces {
  readonly project: string;
  readonly sessions: string;
  /** The memory of the project. */
  readonly memory: string;
}

/** The user's home. */
export function userHomeOf(environment: Environment): string {
  return environment["HOME"] || homedir();
}

/** Our folder: PALIMPSEST_HOME, or `.palimpsest` in the user's home. */
export function agentHomeOf(environment: Environment): string {
  return environment["PALIMPSEST_HOME"] || join(userHomeOf(environment), ".palimpsest");
}

/** The folder that holds a folder for each project. */
export function projectsFolderOf(agentHome: string): string {
  return join(agentHome, "projects");
}

/** Our folder for one project. It lies in the user's home, so a repository cannot bring one along. */
export function projectFolderOf(folder: string, agentHome: string): string {
  const readable = basename(folder).replaceAll(/[^A-Za-z0-9._-]/g, "-") || "root";
  const digest = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  return join(projectsFolderOf(agentHome), `${readable}-${digest}`);
}

/** The folders inside the folder of a project. @param project what `projectFolderOf` returns */
export function projectPlacesOf(project: string): ProjectPlaces {
  return { project, sessions: join(project, "sessions"), memory: join(project, "memory") };
}
