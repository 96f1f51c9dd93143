import type { JsonObject } from "palimpsest/core";
import { type Position, readCursor } from "../page/cursor.ts";
import { fillPage, type Piece } from "../page/fill-page.ts";
import { errorCode } from "../sessions/error-code.ts";
import type { FoundSessions, SessionFinder } from "../sessions/find-sessions.ts";
import type { FoundSession } from "../sessions/session.ts";
import { done, refused, type SessionTool } from "../tool.ts";
import { answerText } from "./answer-text.ts";

/** What a tool of this server differs in from the others. */
export interface PagedTool extends Pick<SessionTool, "name" | "title" | "description"> {
  /** The fields of its input, besides the cursor. */
  readonly fields: JsonObject;
  readonly required?: readonly string[];
  /** Returns what to show, or why nothing can be shown. */
  read(question: Question): Promise<Reading | string> | Reading | string;
}

export interface Question extends FoundSessions {
  readonly input: JsonObject;
  /** Where the page begins; undefined for the first page. */
  readonly start: Position | undefined;
}

export interface Reading {
  /** Our own words about it. */
  readonly head: string;
  readonly pieces: AsyncIterable<Piece<Position>>;
  /** Said if there are no pieces. */
  readonly empty: string;
}

const CURSOR_FIELD: JsonObject = { type: "string", description: "From the end of the page before." };

/** Makes a tool that reads sessions and answers in pages. */
export function pagedTool(finder: SessionFinder, made: PagedTool): SessionTool {
  const { name, title, description, fields, required = [], read } = made;
  return {
    name,
    title,
    description,
    inputSchema: {
      type: "object",
      properties: { ...fields, cursor: CURSOR_FIELD },
      required,
      additionalProperties: false,
    },
    effect: "reads",
    async run(input, signal) {
      const asked = { tool: name, input };
      const start = readCursor(asked);
      if (start === "foreign") {
        return refused("This cursor belongs to another call. Repeat the input of the page before, or leave it out.");
      }
      try {
        const found = await finder.find(signal);
        const reading = await read({ ...found, input, start: start === "none" ? undefined : start });
        if (typeof reading === "string") return refused(reading);
        const { head, pieces, empty } = reading;
        const page = await fillPage(pieces);
        return done(answerText({ asked, page, head: page.text === "" && page.next === undefined ? empty : head }));
      } catch (error) {
        signal?.throwIfAborted();
        return refused(`This could not be read (${errorCode(error)}). Call sessions to list what there is.`);
      }
    },
  };
}

/** Rows as pieces, each at its own number, from the one where the page begins. */
export async function* rowPieces(
  rows: readonly string[],
  session: string,
  start: Position | undefined,
): AsyncGenerator<Piece<Position>> {
  for (const [entry, row] of rows.entries()) {
    if (entry >= (start?.entry ?? 0)) yield { text: `${row}\n`, at: { session, entry, character: 0 } };
  }
}

/** The rows of a session. If it cannot be read, the last row says so, and other sessions follow. */
export async function* readableRows(
  rows: AsyncIterable<string>,
  { key, signal }: FoundSession,
): AsyncGenerator<string> {
  try {
    yield* rows;
  } catch (error) {
    signal?.throwIfAborted();
    yield `${key} | could not be read (${errorCode(error)})`;
  }
}

/** The sessions from the one where the page begins. */
export function sessionsFrom<Session extends { readonly key: string }>(
  sessions: readonly Session[],
  start: Position | undefined,
): readonly Session[] {
  const at = start === undefined ? 0 : sessions.findIndex(({ key }) => key === start.session);
  return at < 0 ? [] : sessions.slice(at);
}
