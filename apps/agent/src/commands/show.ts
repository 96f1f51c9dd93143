import { findSession } from "../workspace/stored-sessions.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject } from "./open-project.ts";
import { countOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";
import { entryLines } from "./text/entry-lines.ts";

const SHOWN_LINES = 12;
const AT_ONCE = 200;

/** Prints the whole conversation, including compacted and cleared content, or one entry in full. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["sessions show"]);
  const only = countOf("--entry", values.entry);
  return inProject(terminal, async ({ store }) => {
    const { id } = await findSession(store, positionals[0]);
    const reader = (await store.openReader(id))!;
    const { sequence } = await reader.head();
    const [from, to] = only === undefined ? [1, sequence] : [only, only];
    for (let at = from; at <= to; at += AT_ONCE) {
      for (const entry of await reader.read(at, Math.min(to, at + AT_ONCE - 1))) {
        const shown = values.json
          ? JSON.stringify(entry)
          : entryLines(entry, only === undefined ? SHOWN_LINES : Infinity);
        if (shown !== undefined) await terminal.print(shown);
      }
    }
    return EXIT.done;
  });
}
