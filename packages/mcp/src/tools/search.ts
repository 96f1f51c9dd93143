import { asString } from "palimpsest/schema";
import type { Position } from "../page/cursor.ts";
import type { Piece } from "../page/fill-page.ts";
import type { FoundSession } from "../sessions/session.ts";
import type { SessionTool } from "../tool.ts";
import { oneLine } from "./answer-text.ts";
import { chooseSession, SESSION_FIELD } from "./choose-session.ts";
import { pagedTool, type ReadingPorts, readableRows, sessionsFrom } from "./paged-tool.ts";
import type { TimeLimit } from "./time-limit.ts";

const SNIPPET_CHARACTERS = 300;

/** Searches the sessions for words. */
export function searchTool(ports: ReadingPorts, startLimit: () => TimeLimit): SessionTool {
  return pagedTool(ports, {
    name: "search",
    title: "Search recorded sessions",
    description:
      "Searches the sessions of this folder for words: what was said, called and returned, also what has left the context " +
      'window. All words must occur in one message; several "in double quotes" must follow each other. Answers with the ' +
      "session, the number of the message for recall, and a snippet.",
    fields: {
      words: { type: "string", minLength: 1, maxLength: 400, description: "The words to find." },
      session: { ...SESSION_FIELD, description: 'Only this session, as "sessions" names it. Default: all of them.' },
    },
    required: ["words"],
    read({ sessions, input, start }) {
      const words = asString(input["words"])?.trim() ?? "";
      if (words === "") return "Give words to search for.";
      const one = input["session"] === undefined ? undefined : chooseSession(sessions, input);
      if (typeof one === "string") return one;
      const searched = one === undefined ? sessions : [one];
      return {
        head: "Messages that have all of the words. Each row: session, message, snippet.",
        empty: `No message of ${searched.length} sessions has all of the words.`,
        pieces: hitPieces(sessionsFrom(searched, start), words, start, startLimit()),
      };
    },
  });
}

async function* hitPieces(
  sessions: readonly FoundSession[],
  words: string,
  start: Position | undefined,
  limit: TimeLimit,
): AsyncGenerator<Piece<Position>> {
  for (const [index, session] of sessions.entries()) {
    const { key } = session;
    if (index > 0 && limit.isReached()) yield { text: "", at: { session: key, entry: 0, character: 0 }, page: "new" };
    let entry = 0;
    for await (const row of readableRows(hitRows(session, words), session)) {
      // A place in the list of hits, since not every session lists them in the order of their messages.
      const isShown = index > 0 || start === undefined || entry >= start.entry;
      if (isShown) yield { text: `${row}\n`, at: { session: key, entry, character: 0 } };
      entry += 1;
    }
  }
}

async function* hitRows({ key, search }: FoundSession, words: string): AsyncGenerator<string> {
  for await (const { entry, snippet } of search(words)) {
    yield `${key} | ${entry} | ${oneLine(snippet, SNIPPET_CHARACTERS)}`;
  }
}
