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

/** A session of another agent, found on this machine. */
export interface RecordedSessionFile extends TranscriptReference {
  readonly agent: RecordedAgent;
  readonly id: string;
  /** The beginning of its first message, in one line. */
  readonly title: string;
  readonly startedAtMs: number;
  readonly cwd?: string;
  /** The session that started this subagent or fork. */
  readonly parentSession?: string;
  /** The size of the file. */
  readonly bytes: number;
}

const TITLE_CHARACTERS = 60;

/** Lists the sessions of another agent, newest first. Reads only the beginning of each file, and skips files without a session. */
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
      // The task of a subagent comes from its parent, not from a human.
      if (entry.origin !== "human" && described.parentSession === undefined) continue;
      const said = entry.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join(" ");
      return { ...described, title: oneLine(said, TITLE_CHARACTERS) };
    }
  } catch (error) {
    if (!UnknownTranscriptError.isInstance(error)) throw error;
  }
  return described;
}
