import { isAgentSession } from "palimpsest/agents";
import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inProject } from "../cli/open-project.ts";
import { readArguments } from "../cli/read-arguments.ts";
import { listSessions } from "../cli/stored-sessions.ts";
import { table, time } from "../cli/table.ts";
import type { Terminal } from "../cli/terminal.ts";

/** The sessions of this folder. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS.sessions);
  if (values.ids) {
    const ids = await inProject(terminal, ({ store }) => store.sessions());
    for (const id of ids.filter((one) => !isAgentSession(one))) await terminal.print(id);
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
