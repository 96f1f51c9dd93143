import { isAgentSession } from "@palimpsest/agents";
import { RECORDED_AGENTS, type RecordedAgent } from "@palimpsest/transcripts";
import { eachSession } from "palimpsest/core";
import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inProject } from "../cli/open-project.ts";
import { oneOf, readArguments } from "../cli/read-arguments.ts";
import { listRecordedSessions } from "../cli/recorded-sessions.ts";
import type { Terminal } from "../cli/terminal.ts";
import { table, time } from "../text/table.ts";
import { placesOf } from "../workspace/places.ts";
import { listSessions } from "../workspace/stored-sessions.ts";

/** The sessions of this folder, or those that another agent has left on this machine. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS.sessions);
  const agent = oneOf("--from", values.from, RECORDED_AGENTS);
  if (agent !== undefined) return listOthers(agent, terminal, values.json === true);
  if (values.ids) {
    const sessions = await inProject(terminal, ({ store }) => Array.fromAsync(eachSession(store)));
    for (const { id } of sessions) if (!isAgentSession(id)) await terminal.print(id);
    return EXIT.done;
  }
  const sessions = await inProject(terminal, ({ store }) => listSessions(store));
  if (values.json) await terminal.print(JSON.stringify(sessions));
  else if (sessions.length === 0) await terminal.print('No session here yet. palimpsest -p "..." begins one.');
  else {
    const rows = sessions.map(({ id, usedAtMs, entries, usedBefore, title }) => [
      ...[id.slice(0, 8), time(usedAtMs), entries, usedBefore?.model ?? "", title],
    ]);
    await terminal.print(table([["id", "last used (UTC)", "entries", "model", "began with"], ...rows]));
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
  else if (sessions.length === 0) await print(`There is no session of ${agent} in ${home}.`);
  else {
    const rows = sessions.map(({ startedAtMs, bytes, cwd = "", title, path, session }) => [
      ...[time(startedAtMs), Math.ceil(bytes / 1_000), cwd, title],
      `${path.startsWith(home) ? `~${path.slice(home.length)}` : path}${session === undefined ? "" : ` (${session})`}`,
    ]);
    await print(table([["began (UTC)", "KB", "folder", "began with", "file"], ...rows]));
    await print("\npalimpsest analyze FILE shows what it spent, palimpsest import FILE makes it a session here.");
  }
  return EXIT.done;
}
