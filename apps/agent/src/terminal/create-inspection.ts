import type { UndoCompaction } from "@palimpsest/observe/inspector";
import type { Project } from "../commands/open-project.ts";
import type { ProjectInspector } from "../commands/project-inspector.ts";
import type { Terminal } from "../commands/terminal.ts";
import type { AgentSession } from "../extension/open-agent-session.ts";

interface InspectionPorts {
  readonly project: Project;
  readonly terminal: Terminal;
  /** The session on the screen. */
  readonly session: () => AgentSession;
  /** Whether nothing runs that a change could disturb. */
  readonly isIdle: () => boolean;
  /** Is called after a change. */
  readonly refresh: () => Promise<void>;
}

/** A page over the session on the screen. */
export interface Inspection {
  /** An address that lets one browser in, once. The first call starts the inspector. */
  address(): Promise<string>;
  close(): Promise<void>;
}

export function createInspection({ project, terminal, session, isIdle, refresh }: InspectionPorts): Inspection {
  let started: Promise<ProjectInspector> | undefined;
  // The session belongs to this process: no other one could undo anything in it.
  const undo: UndoCompaction = async (id, boundary) => {
    const { id: own, view, history } = session();
    if (id !== own) return { kind: "refused", why: `Open this session first: /resume ${id}` };
    if (!isIdle()) return { kind: "refused", why: "A turn is running. Undo the compaction when it has ended." };
    const tokensBefore = view.size().tokens;
    await history.restore(boundary, "/inspect");
    await refresh();
    return { kind: "undone", tokensBefore, tokensAfter: view.size().tokens };
  };
  return {
    async address() {
      const { startProjectInspector } = await import("../commands/project-inspector.ts");
      started ??= startProjectInspector(project, terminal, { shows: { kind: "project" }, undo });
      return (await started).addressOf(session().id);
    },
    async close() {
      await (await started?.catch(() => undefined))?.close();
    },
  };
}
