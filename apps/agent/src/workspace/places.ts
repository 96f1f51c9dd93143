import { join } from "node:path";
import {
  agentHomeOf,
  type ProjectPlaces,
  projectFolderOf,
  projectPlacesOf,
  userHomeOf,
} from "@palimpsest/coordination/project-places";
import type { Environment } from "./command-environment.ts";

/** Socket names use the first characters of an id, because socket paths are limited to about a hundred characters. */
const SOCKET_NAME_CHARACTERS = 18;

/** The paths of the agent's files for one project. Only this user can read them. */
export interface Places extends ProjectPlaces {
  /** The user's home. */
  readonly home: string;
  /** Our folder: PALIMPSEST_HOME, or `.palimpsest` in the user's home. */
  readonly agentHome: string;
  /** The store that all sessions of this user share: leases and mailboxes. */
  readonly coordinationFile: string;
  /** The record of when commands ran in the project. */
  readonly commandTimes: string;
  /** The changes of a dream that wait for the user's approval. */
  readonly heldDream: string;
  /** The engine settings, by name (docs/defaults.md). */
  readonly engineSettings: string;
  /** The user's own sections of session notes. */
  readonly notesTemplate: string;
  /** The user's own instructions to the model that updates session notes. */
  readonly notesPrompt: string;
  /** The folder of a session's other files, such as checkpoints and output of commands. */
  folderOf(session: string): string;
  /** The socket of a running session, for other processes. */
  socketOf(session: string): string;
}

/** Computes the paths for a project. @param folder the project folder, with links resolved */
export function placesOf(folder: string, environment: Environment): Places {
  const agentHome = agentHomeOf(environment);
  const places = projectPlacesOf(projectFolderOf(folder, agentHome));
  const { project } = places;
  return {
    ...places,
    home: userHomeOf(environment),
    agentHome,
    coordinationFile: join(agentHome, "home.sqlite"),
    commandTimes: join(project, "command-times.log"),
    heldDream: join(project, "held-dream.json"),
    engineSettings: join(agentHome, "engine.json"),
    notesTemplate: join(agentHome, "notes-template.md"),
    notesPrompt: join(agentHome, "notes-prompt.md"),
    folderOf: (session) => join(project, "files", session),
    socketOf: (session) => join(agentHome, "sockets", session.slice(0, SOCKET_NAME_CHARACTERS)),
  };
}
