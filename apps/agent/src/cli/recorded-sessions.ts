import {
  describeTranscript,
  findAgentTranscripts,
  type RecordedAgent,
  type TranscriptDescription,
  type UserHome,
} from "@palimpsest/observe";
import { oneLine } from "../text/table.ts";

const TITLE_CHARACTERS = 60;

/** Lists the sessions of another agent, newest first. Reads only the beginning of each file, and skips files without a session. */
export async function listRecordedSessions(
  agent: RecordedAgent,
  home: UserHome,
): Promise<readonly TranscriptDescription[]> {
  const sessions: TranscriptDescription[] = [];
  for await (const reference of findAgentTranscripts(agent, home)) {
    const described = await describeTranscript(reference);
    if (described !== undefined) sessions.push({ ...described, title: oneLine(described.title, TITLE_CHARACTERS) });
  }
  return sessions.toSorted((one, other) => other.startedAtMs - one.startedAtMs);
}
