import { isAgentSession } from "@palimpsest/agents";
import {
  describeTranscript,
  findAgentTranscripts,
  RECORDED_AGENTS,
  type RecordedAgent,
  type TranscriptDescription,
  type UserHome,
} from "@palimpsest/observe";
import { eachSession } from "palimpsest/inspect";
import { shortIds } from "../text/short-ids.ts";
import { oneLine, table, time } from "../text/table.ts";
import { placesOf } from "../workspace/places.ts";
import { withTitles } from "../workspace/session-title.ts";
import { listSessions } from "../workspace/stored-sessions.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject } from "./open-project.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Lists the sessions in this folder, or the sessions of another agent on this machine. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS.sessions);
  const agent = oneOf("--from", values.from, RECORDED_AGENTS);
  if (agent !== undefined) return listOthers(agent, terminal, values.json === true);
  if (values.ids) {
    const sessions = await inProject(terminal, ({ store }) => Array.fromAsync(eachSession(store)));
    for (const { id } of sessions) if (!isAgentSession(id)) await terminal.print(id);
    return EXIT.done;
  }
  const sessions = await inProject(terminal, async ({ store, places }) =>
    withTitles(await listSessions(store), places),
  );
  if (values.json) await terminal.print(JSON.stringify(sessions));
  else if (sessions.length === 0) await terminal.print("This folder has no sessions yet. To start one: palimpsest");
  else {
    const shortOf = shortIds(sessions.map(({ id }) => id));
    const rows = sessions.map(({ id, usedAtMs, entries, usedBefore, title }) => [
      ...[shortOf(id), time(usedAtMs), entries, usedBefore?.model ?? "", title],
    ]);
    await terminal.print(table([["id", "last used (UTC)", "entries", "model", "title"], ...rows]));
  }
  return EXIT.done;
}

async function listOthers(
  agent: RecordedAgent,
  { folder, environment, print }: Terminal,
  json: boolean,
): Promise<number> {
  const { home } = placesOf(folder, environment);
  const sessions = await listRecordedSessions(agent, { home, environment });
  if (json) await print(JSON.stringify(sessions));
  else if (sessions.length === 0) await print(`No sessions of ${agent} found in ${home}.`);
  else {
    const rows = sessions.map(({ startedAtMs, bytes, cwd = "", title, path, session }) => [
      ...[time(startedAtMs), Math.ceil(bytes / 1_000), cwd, title],
      `${path.startsWith(home) ? `~${path.slice(home.length)}` : path}${session === undefined ? "" : ` (${session})`}`,
    ]);
    await print(table([["started (UTC)", "KB", "folder", "first message", "file"], ...rows]));
    await print(
      "\nTo see what a session cost: palimpsest analyze FILE. To resume it here: palimpsest sessions import FILE\nTo give these sessions to another agent: npx @palimpsest/mcp",
    );
  }
  return EXIT.done;
}

const TITLE_CHARACTERS = 60;

/**
 * Lists another agent's sessions, newest first. Reads only the beginning of each file, and skips files without a
 * session.
 */
async function listRecordedSessions(agent: RecordedAgent, home: UserHome): Promise<readonly TranscriptDescription[]> {
  const sessions: TranscriptDescription[] = [];
  for await (const reference of findAgentTranscripts(agent, home)) {
    const described = await describeTranscript(reference);
    if (described !== undefined) sessions.push({ ...described, title: oneLine(described.title, TITLE_CHARACTERS) });
  }
  return sessions.toSorted((one, other) => other.startedAtMs - one.startedAtMs);
}
