import { sanitize } from "palimpsest/sanitize";
import { asCount } from "palimpsest/schema";
import type { Position } from "../page/cursor.ts";
import { PIECE_CHARACTERS, type Piece } from "../page/fill-page.ts";
import type { FoundSession, SessionEntry } from "../sessions/session.ts";
import type { SessionTool } from "../tool.ts";
import { time } from "./answer-text.ts";
import { chooseSession, SESSION_FIELD } from "./choose-session.ts";
import { pagedTool, type ReadingPorts } from "./paged-tool.ts";

const MAX_ENTRIES = 1_000;

/** Reads messages of a session in full. */
export function recallTool(ports: ReadingPorts): SessionTool {
  return pagedTool(ports, {
    name: "recall",
    title: "Read messages of a recorded session",
    description:
      "Reads messages of a session in full, as they were recorded: also those that were compacted away or cleared from the " +
      "context window. Give the number of a message from search, and how many messages from there on.",
    fields: {
      session: SESSION_FIELD,
      message: { type: "integer", minimum: 1, description: "Number of the first message. Default 1." },
      count: { type: "integer", minimum: 1, maximum: MAX_ENTRIES, description: "How many messages. Default 1." },
    },
    read({ sessions, input, start }) {
      const session = chooseSession(sessions, start === undefined ? input : { session: start.session });
      if (typeof session === "string") return session;
      const first = Math.trunc(asCount(input["message"]) ?? 1) || 1;
      const count = Math.min(MAX_ENTRIES, Math.trunc(asCount(input["count"]) ?? 1) || 1);
      return {
        head: `Session ${session.key}, from message ${start?.entry ?? first} on.`,
        empty: `Session ${session.key} has no message ${first}.`,
        pieces: textPieces(session, first, count, start),
      };
    },
  });
}

async function* textPieces(
  session: FoundSession,
  first: number,
  count: number,
  start: Position | undefined,
): AsyncGenerator<Piece<Position>> {
  let left = count;
  // From the first one on, since not every number is a message, and those that were shown count.
  for await (const entry of session.entries(first)) {
    if (left === 0) return;
    left -= 1;
    if (start !== undefined && entry.number < start.entry) continue;
    yield* piecesOf(entry, session.key, entry.number === start?.entry ? start.character : 0);
  }
}

async function* piecesOf(entry: SessionEntry, session: string, from: number): AsyncGenerator<Piece<Position>> {
  const { number, atMs, who } = entry;
  const continued = from === 0 ? "" : `, continued at character ${from + 1}`;
  yield {
    text: `\n--- message ${number}, ${who}, ${time(atMs)}${continued}\n`,
    at: { session, entry: number, character: from },
  };
  let begin = 0;
  for await (const part of entry.text()) {
    for (let at = Math.max(0, from - begin); at < part.length; ) {
      // Not through a pair of surrogates.
      const raw = part.slice(at, at + PIECE_CHARACTERS).replace(/[\ud800-\udbff]$/, "") || part.slice(at, at + 2);
      // Piece by piece, so that a page costs no more than what it shows, whatever the message is made of.
      yield { text: sanitize(raw), at: { session, entry: number, character: begin + at } };
      at += raw.length;
    }
    begin += part.length;
  }
}
