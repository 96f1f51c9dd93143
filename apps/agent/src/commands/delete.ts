import { rm } from "node:fs/promises";
import { deleteSession, findSession } from "../workspace/stored-sessions.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject } from "./open-project.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Deletes a session, with its agents, stored results and files. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [idStart] = readArguments(args, COMMANDS["sessions delete"]).positionals;
  if (idStart === undefined) {
    throw new UsageError(
      "The session is missing: palimpsest sessions delete ID. To list the sessions: palimpsest sessions.",
    );
  }
  return inProject(terminal, async ({ store, places }) => {
    const { id, title } = await findSession(store, idStart);
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
