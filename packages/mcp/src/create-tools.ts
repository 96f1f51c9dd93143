import { realpath } from "node:fs/promises";
import { agentHomeOf, projectFolderOf, projectPlacesOf } from "@palimpsest/coordination/project-places";
import { aText, checkOptions } from "palimpsest/schema";
import { createSessionFinder, type SessionsOptions } from "./sessions/find-sessions.ts";
import type { SessionTool } from "./tool.ts";
import { listSessionsTool } from "./tools/list-sessions.ts";
import { memoryTool, rememberTool } from "./tools/memory-tools.ts";
import { recallTool } from "./tools/recall.ts";
import { searchTool } from "./tools/search.ts";
import { cacheMissesTool, contextTool, costTool } from "./tools/spending-tools.ts";
import { CALL_MS, startTimeLimit } from "./tools/time-limit.ts";

export interface ToolsOptions extends SessionsOptions {
  /** Milliseconds that pass, for the time that a page may take. @default the system's clock */
  readonly now?: () => number;
  /** How long a call may take before it is given up, in milliseconds. @default 45,000: the strictest clients wait for 60 seconds */
  readonly callMs?: number;
}

export interface SessionTools {
  readonly tools: readonly SessionTool[];
  close(): Promise<void>;
}

/**
 * The tools over the sessions on this machine, without the protocol. Every answer fits 20,000 tokens, shows text of others between
 * marks that it cannot close, and has a cursor if there is more.
 *
 * Only sessions of the folder are shown unless `scope` is "all": transcripts hold secrets of other projects. No input of a tool
 * changes the scope, because a model chooses it.
 */
export async function createTools(options: ToolsOptions): Promise<SessionTools> {
  checkOptions("createTools", options, { folder: aText("the path of the folder whose sessions are served") });
  const { environment, scope, now = () => performance.now(), callMs = CALL_MS } = options;
  const folder = await realpath(options.folder);
  const finder = createSessionFinder(options);
  const ports = { finder, callMs };
  const startLimit = () => startTimeLimit(now);
  const { memory } = projectPlacesOf(projectFolderOf(folder, agentHomeOf(environment)));
  return {
    tools: [
      listSessionsTool(ports, scope === "all" ? "on this machine" : `of ${JSON.stringify(folder)}`),
      searchTool(ports, startLimit),
      recallTool(ports),
      costTool(ports, startLimit),
      cacheMissesTool(ports),
      contextTool(ports),
      memoryTool(memory),
      rememberTool(memory),
    ],
    close: () => finder.close(),
  };
}
