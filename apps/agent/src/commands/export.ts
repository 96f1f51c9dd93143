import { exportLog } from "palimpsest";
import { findSession } from "../workspace/stored-sessions.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject } from "./open-project.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the whole log as JSON lines, one entry each, in the form that `importLog` reads. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { positionals } = readArguments(args, COMMANDS["sessions export"]);
  return inProject(terminal, async ({ store }) => {
    const { id } = await findSession(store, positionals[0]);
    const reader = (await store.openReader(id))!;
    for await (const line of exportLog(reader)) await terminal.print(line);
    return EXIT.done;
  });
}
