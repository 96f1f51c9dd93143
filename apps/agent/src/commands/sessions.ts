import { rm } from "node:fs/promises";
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
import { deleteSession } from "../workspace/delete-session.ts";
import { placesOf } from "../workspace/places.ts";
import { findSession, listSessions } from "../workspace/stored-sessions.ts";
import { UsageError } from "../workspace/usage-error.ts";

/** The sessions of this folder, or those that another agent has left on this machine. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.sessions);
  if (positionals.length > 0) return deleteOne(positionals, terminal);
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

async function deleteOne([action, wanted]: readonly string[], terminal: Terminal): Promise<number> {
  if (action !== "delete" || wanted === undefined) {
    throw new UsageError("Say which session to delete: palimpsest sessions delete ID. palimpsest sessions lists them.");
  }
  return inProject(terminal, async ({ store, places }) => {
    const { id, title } = await findSession(store, wanted);
    const outcome = await deleteSession(store, id);
    if (outcome.kind === "deleted") {
      await rm(places.folderOf(id), { recursive: true, force: true });
      const also = outcome.agents === 0 ? "" : ` and ${outcome.agents} of its agents`;
      await terminal.print(`Deleted ${id}${also}: ${title}`);
      return EXIT.done;
    }
    await terminal.print(outcome.why);
    return EXIT.failed;
  });
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
