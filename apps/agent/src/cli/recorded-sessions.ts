import { stat } from "node:fs/promises";
import {
  findAgentTranscripts,
  type RecordedAgent,
  readTranscript,
  type TranscriptReference,
  UnknownTranscriptError,
  type UserHome,
} from "@palimpsest/transcripts";
import { oneLine } from "../text/table.ts";

/** A session that another agent has left on this machine. */
export interface RecordedSessionFile extends TranscriptReference {
  readonly agent: RecordedAgent;
  readonly id: string;
  /** How it began, in one line. */
  readonly title: string;
  readonly startedAtMs: number;
  readonly cwd?: string;
  /** The session that it is a subagent or a fork of. */
  readonly parentSession?: string;
  /** Of the file. */
  readonly bytes: number;
}

const TITLE_CHARACTERS = 60;

/** What an agent has left here, the newest first. Of each file only the beginning is read; what is no session is passed over. */
export async function listRecordedSessions(
  agent: RecordedAgent,
  home: UserHome,
): Promise<readonly RecordedSessionFile[]> {
  const sessions: RecordedSessionFile[] = [];
  for await (const reference of findAgentTranscripts(agent, home)) {
    const described = await describe(reference);
    if (described !== undefined) sessions.push(described);
  }
  return sessions.toSorted((one, other) => other.startedAtMs - one.startedAtMs);
}

async function describe(reference: TranscriptReference): Promise<RecordedSessionFile | undefined> {
  let described: RecordedSessionFile | undefined;
  try {
    for await (const entry of readTranscript(reference)) {
      if (entry.kind === "session") {
        const { agent, id, startedAtMs, cwd, parentSession } = entry;
        described = {
          ...reference,
          agent,
          id,
          startedAtMs,
          title: "",
          bytes: (await stat(reference.path)).size,
          ...(cwd === undefined ? {} : { cwd }),
          ...(parentSession === undefined ? {} : { parentSession }),
        };
      }
      if (described === undefined || entry.kind !== "message" || entry.role !== "user") continue;
      // A subagent is told what to do by another.
      if (entry.origin !== "human" && described.parentSession === undefined) continue;
      const said = entry.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join(" ");
      return { ...described, title: oneLine(said, TITLE_CHARACTERS) };
    }
  } catch (error) {
    if (!UnknownTranscriptError.isInstance(error)) throw error;
  }
  return described;
}
