import type { Block } from "../log/block.ts";
import type { PassedOver, ReadEntry } from "../log/draft.ts";
import type { EventRow, IndexedEvent } from "./index-rows.ts";

const TEXT_CHARACTERS = 160;
/** The attachments by which agents reach a session: a message, and the result of an agent that it started. */
const MAIL: readonly string[] = ["agent-message", "agent-result"];

/** The event that an entry is on a timeline; undefined if it is none. */
export function eventOf(read: ReadEntry | PassedOver, atMs: number): EventRow | undefined {
  const row = (event: IndexedEvent, text: string): EventRow => ({
    kind: "event",
    entry: read.sequence,
    atMs,
    event,
    text: oneLine(text),
  });
  switch (read.kind) {
    case "message":
      return read.payload.origin === "human" ? row("said", saidIn(read.payload.blocks)) : undefined;
    case "boundary":
    case "replace":
    case "restore":
    case "rewind":
      return row(read.kind, read.payload.reason);
    case "fork":
      return row("fork", read.payload.session);
    case "overflow":
      return row("overflow", read.payload.how ?? "refused");
    case "attempt":
      return row("attempt", read.payload.why);
    case "agent":
      return row("agent", read.payload.step === "started" ? read.payload.goal : read.payload.step);
    case "attachment":
      return MAIL.includes(read.payload.type) ? row("mail", saidIn(read.payload.blocks)) : undefined;
    case "configuration":
      return row("configuration", read.payload.cause ?? "");
    case "notes":
      return row("notes", "");
    case "pin":
      return row("pin", read.payload.text);
    case "erased":
      return row("erased", String(read.payload.entry));
    default:
      return undefined;
  }
}

function saidIn(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text.slice(0, 4 * TEXT_CHARACTERS)] : [])).join(" ");
}

function oneLine(text: string): string {
  return text
    .slice(0, 4 * TEXT_CHARACTERS)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, TEXT_CHARACTERS)
    .toWellFormed();
}
