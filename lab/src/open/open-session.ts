import { createHash } from "node:crypto";
import { openSession, type Session } from "palimpsest";
import { type AnthropicRequest, anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";

export type LabSession = Session;

/** The session that one process writes and another one opens: the same words in both. */
export function openLabSession(folder: string): Promise<LabSession> {
  return openSession({
    id: "large",
    store: sqliteStore({ folder }),
    // Nothing is sent through it.
    provider: anthropic({} as never),
    model: "claude-sonnet-4-6",
    system: "You are a careful engineer.",
    tools: [{ name: "read_file", description: "Reads a file.", inputSchema: { type: "object" } }],
    // The whole of it is to be opened.
    settings: { compaction: "off", notes: "off" },
    settingsFrom: { environment: {} },
  });
}

export function hashOfRequest(request: AnthropicRequest): string {
  return createHash("sha256").update(JSON.stringify(request)).digest("hex");
}
