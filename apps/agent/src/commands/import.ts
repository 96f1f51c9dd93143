import {
  findTranscripts,
  type ImportedSession,
  importSession,
  type RecordedEntry,
  readTranscript,
  type TranscriptReference,
  UnknownTranscriptError,
} from "@palimpsest/observe";
import { sanitizeAll } from "palimpsest/sanitize";
import { table } from "../text/table.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject } from "./open-project.ts";
import { readArguments, transcriptsPath } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";
import { plural } from "./text/notice.ts";

type Outcome = TranscriptReference & (ImportedSession | { readonly kind: "unknown"; readonly why: string });

/** Imports other agents' sessions as sessions of this folder. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["sessions import"]);
  const path = transcriptsPath(positionals, "sessions import");
  const outcomes = await inProject(terminal, async ({ store }) => {
    const all: Outcome[] = [];
    for await (const reference of findTranscripts(path)) {
      try {
        all.push({ ...reference, ...(await importSession(sanitized(readTranscript(reference)), { store })) });
      } catch (error) {
        if (!UnknownTranscriptError.isInstance(error)) throw error;
        all.push({ ...reference, kind: "unknown", why: error.message });
      }
    }
    return all;
  });
  await terminal.print(values.json ? JSON.stringify(outcomes) : outcomesText(outcomes, path));
  for (const outcome of outcomes) if (outcome.kind === "unknown") terminal.say(`${outcome.path}: ${outcome.why}`);
  return outcomes.some(({ kind }) => kind === "imported" || kind === "exists") ? EXIT.done : EXIT.failed;
}

/** Sanitizes recorded entries, because they are shown to the model. */
async function* sanitized(entries: AsyncIterable<RecordedEntry>): AsyncGenerator<RecordedEntry> {
  for await (const entry of entries) yield entry.kind === "session" ? entry : sanitizeAll(entry);
}

function outcomesText(outcomes: readonly Outcome[], path: string): string {
  const imported = outcomes.filter((outcome) => outcome.kind === "imported");
  const existing = outcomes.filter(({ kind }) => kind === "exists").length;
  const silent = outcomes.filter(({ kind }) => kind === "nothing").length;
  const damaged = imported.reduce((sum, { damagedLines }) => sum + damagedLines, 0);
  const rows = imported.map((one) => [one.id, one.agent, one.entries, one.responses, one.compactions]);
  return [
    ...(rows.length === 0 ? [] : [table([["id", "from", "entries", "responses", "compactions"], ...rows])]),
    ...(rows.length > 0 || existing > 0
      ? []
      : [`${path} contains no session to import. To find sessions on this machine: palimpsest sessions --from AGENT.`]),
    ...(existing > 0 ? [`${plural(existing, "session")} already imported: left unchanged.`] : []),
    ...(silent > 0 ? [`${plural(silent, "session")} without messages: skipped.`] : []),
    ...(damaged > 0 ? [`${plural(damaged, "damaged line")}: skipped.`] : []),
    ...(rows.length === 0
      ? []
      : [
          "",
          `To read it: palimpsest sessions show ${rows[0]![0]}`,
          `To resume it: palimpsest --resume ${rows[0]![0]}`,
        ]),
  ].join("\n");
}
