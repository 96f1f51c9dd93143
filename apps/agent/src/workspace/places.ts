import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { Environment } from "./command-environment.ts";

/** A socket path has at most some hundred characters with its folder, so a name is the beginning of an id. */
const SOCKET_NAME_CHARACTERS = 18;

/** Where everything of the agent is kept, for one project. All of it is for this user only. */
export interface Places {
  /** The user's home. */
  readonly home: string;
  /** Our folder: PALIMPSEST_HOME, or `.palimpsest` in the user's home. */
  readonly agentHome: string;
  readonly project: string;
  readonly sessions: string;
  /** What is remembered across the sessions of the project. */
  readonly memory: string;
  /** What all sessions of this user share: leases, mailboxes. */
  readonly coordinationFile: string;
  /** What a dream would have changed, and waits for a yes. */
  readonly heldDream: string;
  /** Settings of the engine (docs/defaults.md), by name. */
  readonly engineSettings: string;
  /** What belongs to one session beside its log: checkpoints, output of commands. */
  folderOf(session: string): string;
  /** Where a running session is reached by other processes. */
  socketOf(session: string): string;
}

export function agentHomeOf(environment: Environment): string {
  return environment["PALIMPSEST_HOME"] || join(environment["HOME"] || homedir(), ".palimpsest");
}

/** @param folder the project's, links followed */
export function placesOf(folder: string, environment: Environment): Places {
  const home = environment["HOME"] || homedir();
  const agentHome = agentHomeOf(environment);
  const readable = basename(folder).replaceAll(/[^A-Za-z0-9._-]/g, "-") || "root";
  const digest = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  const project = join(agentHome, "projects", `${readable}-${digest}`);
  return {
    home,
    agentHome,
    project,
    sessions: join(project, "sessions"),
    memory: join(project, "memory"),
    coordinationFile: join(agentHome, "home.sqlite"),
    heldDream: join(project, "held-dream.json"),
    engineSettings: join(agentHome, "engine.json"),
    folderOf: (session) => join(project, "files", session),
    socketOf: (session) => join(agentHome, "sockets", session.slice(0, SOCKET_NAME_CHARACTERS)),
  };
}
