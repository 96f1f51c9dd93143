import { realpath } from "node:fs/promises";
import type { Store } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite";
import type { OwnedListener } from "../agent/agent.ts";
import { type AgentSession, openAgentSession } from "../extension/open-agent-session.ts";
import { loadSettings } from "../permissions/load-settings.ts";
import { engineSettings } from "../workspace/engine-settings.ts";
import { type Operations, openOperations } from "../workspace/open-operations.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { type Places, placesOf } from "../workspace/places.ts";
import { findSession } from "../workspace/stored-sessions.ts";
import { chooseProvider, type WantedProvider } from "./choose-provider.ts";
import { offline, userModels } from "./connect.ts";
import type { Terminal } from "./terminal.ts";
import { noticeOf } from "./text/notice-text.ts";

/** The folder in which the program was started, with its sessions. */
export interface Project {
  /** The real path, with links resolved. */
  readonly folder: string;
  readonly places: Places;
  readonly store: Store;
}

/** Opens a project while `work` runs. */
export async function inProject<Result>(
  terminal: Terminal,
  work: (project: Project) => Promise<Result>,
): Promise<Result> {
  const { environment, clock } = terminal;
  const folder = await realpath(terminal.folder);
  const places = placesOf(folder, environment);
  const store = sqliteStore({ folder: places.sessions, clock });
  try {
    return await work({ folder, places, store });
  } finally {
    await store.close();
  }
}

interface InSessionOptions extends WantedProvider {
  /** `read`: reads the current state, even while another process writes the session. @default "write" */
  readonly access?: "read" | "write";
  /** A session id or its first characters. @default the newest session of the project */
  readonly id: string | undefined;
}

/** Opens a stored session, to read it or to change its view. Calls no provider and needs no key. */
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

/** Opens a project while `work` runs, with the operator's telemetry and feature flags. */
export async function inOperatedProject<Result>(
  terminal: Terminal,
  work: (project: Project, operations: Operations) => Promise<Result>,
): Promise<Result> {
  return inProject(terminal, async (project) => {
    const { folder, places } = project;
    const { agentHome } = places;
    const { settings } = await loadSettings({ guard: await createPathGuard(folder), agentHome });
    const { flags } = settings;
    const { environment } = terminal;
    const operations = await openOperations({ environment, agentHome, flags });
    try {
      return await work(project, operations);
    } finally {
      for (const unsent of await operations.close()) terminal.say(unsent, "warning");
    }
  });
}

/** Writes the notice of each event to standard error, for commands that run no turn. */
export function printNotices({ say }: Pick<Terminal, "say">): OwnedListener {
  return (event, owner) => {
    // The command itself prints the outcome of its compaction.
    if (event.kind === "compaction-ended" && owner === undefined) return;
    const notice = noticeOf(event, "command-line", owner);
    if (notice !== undefined) say(notice.text, notice.weight === "problem" ? "warning" : "faint");
  };
}
