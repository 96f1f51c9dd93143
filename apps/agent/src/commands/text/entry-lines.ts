import { compactionReasons, entryText, readPayload } from "palimpsest/inspect";
import type { Entry } from "palimpsest/store-parts";
import { time } from "../../text/table.ts";
import { reasonsText } from "../../workspace/read-transcript.ts";

/**
 * The text of an entry with a limited number of lines. Undefined for entries without text: requests, usage,
 * configuration.
 */
export function entryLines(entry: Entry, mostLines: number): string | undefined {
  const read = readPayload(entry);
  const text = textOf(read, entry);
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  const rest = lines.length - mostLines;
  const shown =
    rest > 0 ? [...lines.slice(0, mostLines), `[${rest} more lines: show --entry ${entry.sequence}]`] : lines;
  const who = read.kind === "message" ? read.payload.origin : entry.kind;
  return `--- ${entry.sequence} ${who} ${time(entry.atMs)}\n${shown.join("\n")}\n`;
}

function textOf(read: ReturnType<typeof readPayload>, entry: Entry): string | undefined {
  if (read.kind === "decision") return `Why: ${read.payload.because}`;
  const text = entryText(entry);
  if (read.kind !== "boundary" || text === undefined) return text;
  return `${reasonsText(compactionReasons(read.payload))}\n\n${text}`;
}
