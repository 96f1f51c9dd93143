import { entryText, readPayload } from "palimpsest/inspect";
import type { Entry } from "palimpsest/store-parts";
import { time } from "../../text/table.ts";

/**
 * The text of an entry with a limited number of lines. Undefined for entries without text: requests, usage,
 * configuration.
 */
export function entryLines(entry: Entry, mostLines: number): string | undefined {
  const { kind, payload } = readPayload(entry) as {
    readonly kind: string;
    readonly payload?: { readonly origin?: string; readonly because?: string };
  };
  const text = kind === "decision" ? payload?.because : entryText(entry);
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  const rest = lines.length - mostLines;
  const shown =
    rest > 0 ? [...lines.slice(0, mostLines), `[${rest} more lines: show --entry ${entry.sequence}]`] : lines;
  const who = kind === "message" ? (payload?.origin ?? kind) : kind;
  return `--- ${entry.sequence} ${who} ${time(entry.atMs)}\n${shown.join("\n")}\n`;
}
