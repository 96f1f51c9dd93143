import { exportSessions, storeSource } from "@palimpsest/observe/inspector";
import { findSession } from "../workspace/stored-sessions.ts";
import { offlineByName, userModels } from "./connect.ts";
import type { Project } from "./open-project.ts";
import type { ProjectInspectorOptions } from "./project-inspector.ts";
import type { Terminal } from "./terminal.ts";
import { printProgress, writePage } from "./write-page.ts";

interface ExportStoredOptions {
  readonly project: Project;
  readonly terminal: Terminal;
  /** The session. @default the newest session */
  readonly id: string | undefined;
  readonly file: string;
  readonly shows: Exclude<ProjectInspectorOptions["shows"], { readonly kind: "transcripts" }>;
}

/** Writes a stored session as the inspector's page in one file. */
export async function exportStored({ project, terminal, id, file, shows }: ExportStoredOptions): Promise<void> {
  const { store, name } = shows.kind === "store" ? shows : { store: project.store, name: project.places.sessions };
  const source = storeSource({ store, name, folder: project.folder });
  const session = await findSession(store, id);
  const models = await userModels(terminal.environment);
  const page = await exportSessions({
    sources: [source],
    providerOf: (provider) => offlineByName(provider, models),
    sessions: [{ key: source.keyOf(session.id), name: session.id }],
    onProgress: printProgress(terminal),
  });
  await writePage(file, page, { terminal, inspect: "the same command without --html" });
}
