import { type Entry, entryText, readPayload } from "palimpsest";
import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inProject } from "../cli/open-project.ts";
import { countOf, readArguments } from "../cli/read-arguments.ts";
import { findSession } from "../cli/stored-sessions.ts";
import { time } from "../cli/table.ts";
import type { Terminal } from "../cli/terminal.ts";

const SHOWN_LINES = 12;
const AT_ONCE = 200;

/** A session as it was said, whatever has been folded or cleared since; or one entry in whole. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.show);
  const only = countOf("--entry", values.entry);
  return inProject(terminal, async ({ store }) => {
    const { id } = await findSession(store, positionals[0]);
    const reader = (await store.openReader(id))!;
    const { sequence } = await reader.head();
    const [from, to] = only === undefined ? [1, sequence] : [only, only];
    for (let at = from; at <= to; at += AT_ONCE) {
      for (const entry of await reader.read(at, Math.min(to, at + AT_ONCE - 1))) {
        const shown = values.json ? JSON.stringify(entry) : toText(entry, only === undefined ? SHOWN_LINES : Infinity);
        if (shown !== undefined) await terminal.print(shown);
      }
    }
    return EXIT.done;
  });
}

/** Undefined for what nobody has said: requests, usage, configuration. */
function toText(entry: Entry, mostLines: number): string | undefined {
  const said = entryText(entry);
  if (said === undefined) return undefined;
  const { kind, payload } = readPayload(entry) as {
    readonly kind: string;
    readonly payload?: { readonly origin?: string };
  };
  const lines = said.split("\n");
  const rest = lines.length - mostLines;
  const shown = rest > 0 ? [...lines.slice(0, mostLines), `[${rest} more lines: --entry ${entry.sequence}]`] : lines;
  const who = kind === "message" ? (payload?.origin ?? kind) : kind;
  return `--- ${entry.sequence} ${who} ${time(entry.atMs)}\n${shown.join("\n")}\n`;
}
