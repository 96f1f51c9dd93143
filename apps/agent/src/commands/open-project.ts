import { realpath } from "node:fs/promises";
import type { Store } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite-store";
import { printNotices } from "../cli/print-notices.ts";
import { userModels } from "../cli/user-models.ts";
import { type AgentSession, openAgentSession } from "../extension/open-agent-session.ts";
import { engineSettings } from "../workspace/engine-settings.ts";
import { type Places, placesOf } from "../workspace/places.ts";
import { findSession } from "../workspace/stored-sessions.ts";
import { chooseProvider, type WantedProvider } from "./choose-provider.ts";
import { offline } from "./connect.ts";
import type { Terminal } from "./terminal.ts";

/** The folder that the program was started in, and the sessions that belong to it. */
export interface Project {
  /** The real path, with links resolved. */
  readonly folder: string;
  readonly places: Places;
  readonly store: Store;
}

async function openProject({ folder: started, environment, clock }: Terminal): Promise<Project> {
  const folder = await realpath(started);
  const places = placesOf(folder, environment);
  return { folder, places, store: sqliteStore({ folder: places.sessions, clock }) };
}

/** Opens a project while `work` runs. */
export async function inProject<Result>(
  terminal: Terminal,
  work: (project: Project) => Promise<Result>,
): Promise<Result> {
  const project = await openProject(terminal);
  try {
    return await work(project);
  } finally {
    await project.store.close();
  }
}

export interface InSessionOptions extends WantedProvider {
  /** `read`: as the session is now, also while another process writes it. @default "write" */
  readonly access?: "read" | "write";
  /** A session id or its first characters. @default the newest session of the project */
  readonly id: string | undefined;
}

/** Opens a stored session to read it or to change its view. Calls no provider and needs no key. */
export async function inSession<Result>(
  terminal: Terminal,
  { id, access = "write", ...wanted }: InSessionOptions,
  work: (session: AgentSession, project: Project) => Promise<Result>,
): Promise<Result> {
  const { clock, environment } = terminal;
  return inProject(terminal, async (project) => {
    const { store, places } = project;
    const stored = await findSession(store, id);
    const choice = chooseProvider(wanted, environment, stored.usedBefore);
    const provider = await offline(choice.provider, await userModels(environment));
    const settingsFrom = engineSettings(places, environment);
    const onEvent = printNotices(terminal);
    const session = await openAgentSession({
      store: access === "read" ? (await import("@palimpsest/server")).snapshotStore(store) : store,
      provider,
      model: choice.model,
      id: stored.id,
      settingsFrom,
      clock,
      onEvent,
    });
    try {
      return await work(session, project);
    } finally {
      await session.close();
    }
  });
}
