// Starts the inspector over sessions of a project, of other agents or of another store.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Memory, openMemory } from "@palimpsest/memory";
import {
  describeTranscript,
  findAgentTranscripts,
  findTranscripts,
  isOfFolder,
  RECORDED_AGENTS,
  type TranscriptReference,
} from "@palimpsest/observe";
import {
  type Inspector,
  startInspector,
  storeSource,
  transcriptSource,
  type UndoCompaction,
  type UndoneCompaction,
} from "@palimpsest/observe/inspector";
import type { Store } from "palimpsest";
import { offlineByName, userModels } from "./connect.ts";
import { inSession, type Project } from "./open-project.ts";
import type { Terminal } from "./terminal.ts";

export interface ProjectInspectorOptions {
  /**
   * What to show: the sessions of the project and of other agents in its folder, transcripts below a path, or the
   * sessions of another store.
   */
  readonly shows:
    | { readonly kind: "project" }
    | { readonly kind: "transcripts"; readonly path: string }
    | { readonly kind: "store"; readonly store: Store; readonly name: string; readonly memory?: Memory };
  readonly port?: number;
  /** Undoes a compaction. @default works like `palimpsest sessions undo`, only for sessions that no process has open */
  readonly undo?: UndoCompaction;
}

export interface ProjectInspector extends Pick<Inspector, "close"> {
  /**
   * Creates an address that lets one browser in, once. @param session the id of a session to open. @default the list
   */
  addressOf(session?: string): string;
}

/** Starts the inspector that the command line and the terminal share. */
export async function startProjectInspector(
  project: Project,
  terminal: Terminal,
  options: ProjectInspectorOptions,
): Promise<ProjectInspector> {
  const { shows, port, undo = (id, boundary) => undoCompaction(terminal, id, boundary) } = options;
  const { places, folder } = project;
  const cache = join(places.agentHome, "inspector");
  const own =
    shows.kind === "store"
      ? storeSource(shows)
      : storeSource({ store: project.store, name: places.sessions, folder, undo });
  const find = shows.kind === "transcripts" ? () => findTranscripts(shows.path) : () => findRecorded(project, terminal);
  const recorded = transcriptSource({ find, folder: join(cache, "imported") });
  const sources = { project: [own, recorded], transcripts: [recorded], store: [own] }[shows.kind];
  const models = await userModels(terminal.environment);
  const memory = await openShownMemory(shows, { folder: places.memory, clock: terminal.clock });
  const inspector = await startInspector({
    sources,
    providerOf: (name) => offlineByName(name, models),
    folder: join(cache, "index"),
    port,
    memory: memory === undefined ? undefined : { memory, keyOf: own.keyOf },
    onError: (error) => terminal.say(`A page could not be shown: ${String(error)}`, "warning"),
  });
  return {
    addressOf: (session) => inspector.entryUrl(session === undefined ? undefined : own.keyOf(session)),
    async close() {
      await inspector.close();
      await memory?.close();
    },
  };
}

/** Opens the memory that belongs to the shown sessions, read only. */
async function openShownMemory(
  shows: ProjectInspectorOptions["shows"],
  { folder, clock }: { readonly folder: string; readonly clock: Terminal["clock"] },
): Promise<Memory | undefined> {
  if (shows.kind === "store") return shows.memory;
  return shows.kind === "project" && existsSync(folder) ? await openMemory({ folder, clock }) : undefined;
}

/** Undoes a compaction like `palimpsest sessions undo`. Refuses for a session that another process has open. */
async function undoCompaction(terminal: Terminal, id: string, boundary: number): Promise<UndoneCompaction> {
  try {
    return await inSession(terminal, { id }, async ({ view, history }) => {
      const tokensBefore = view.size().tokens;
      await history.restore(boundary, "palimpsest inspect");
      return { kind: "undone", tokensBefore, tokensAfter: view.size().tokens };
    });
  } catch (error) {
    return { kind: "refused", why: error instanceof Error ? error.message : String(error) };
  }
}

/** Finds transcripts of other agents that worked in this folder, and all logs of the proxy. */
async function* findRecorded(
  { folder, places }: Project,
  { environment }: Terminal,
): AsyncGenerator<TranscriptReference> {
  for (const agent of RECORDED_AGENTS) {
    for await (const reference of findAgentTranscripts(agent, { home: places.home, environment })) {
      // The proxy does not know the folders of its clients.
      const described = agent === "proxy" ? undefined : await describeTranscript(reference).catch(() => undefined);
      if (agent === "proxy" || (described !== undefined && isOfFolder(described, folder) === "yes")) yield reference;
    }
  }
}
