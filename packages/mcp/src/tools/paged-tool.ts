import type { JsonObject } from "palimpsest/schema";
import { type Position, readCursor } from "../page/cursor.ts";
import { fillPage, type Piece } from "../page/fill-page.ts";
import { errorCode } from "../sessions/error-code.ts";
import type { FoundSessions, SessionFinder } from "../sessions/find-sessions.ts";
import type { FoundSession } from "../sessions/session.ts";
import { done, refused, type SessionTool } from "../tool.ts";
import { answerText } from "./answer-text.ts";
import { CallTimeError, limitCall } from "./time-limit.ts";

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

const PERHAPS_MORE = "What comes after this was not read.";
const TOO_LARGE =
  "Name one session; recall reads single messages of a large one. The user can run palimpsest analyze in a terminal.";
const CURSOR_FIELD: JsonObject = { type: "string", description: "From the end of the page before." };

/** What all tools that read sessions have in common. */
export interface ReadingPorts {
  readonly finder: SessionFinder;
  /** How long a call may take before it is given up. */
  readonly callMs: number;
}

/** Makes a tool that reads sessions and answers in pages. */
export function pagedTool({ finder, callMs }: ReadingPorts, made: PagedTool): SessionTool {
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
    sideEffects: "none",
    async execute(input, context) {
      const given = context?.signal;
      const asked = { tool: name, input };
      const start = readCursor(asked);
      if (start === "foreign") {
        return refused("This cursor belongs to another call. Repeat the input of the page before, or leave it out.");
      }
      const { signal, end } = limitCall(callMs, given);
      try {
        const found = await finder.find(signal);
        const reading = await read({ ...found, input, start: start === "none" ? undefined : start });
        if (typeof reading === "string") return refused(reading);
        const { head, pieces, empty } = reading;
        const cut: string[] = [];
        const page = await fillPage(untilTimeIsOver(pieces, (error) => cut.push(`${error.message} ${PERHAPS_MORE}`)));
        const text = answerText({ asked, page, head: page.text === "" && page.next === undefined ? empty : head });
        return done([text, ...cut].join("\n"));
      } catch (error) {
        given?.throwIfAborted();
        if (error instanceof CallTimeError) return refused(`${error.message} ${TOO_LARGE}`);
        return refused(`This could not be read (${errorCode(error)}). Call sessions to list what there is.`);
      } finally {
        end();
      }
    },
  };
}

/** What was found before the time was over. If nothing was, the error stays one. */
async function* untilTimeIsOver<Item>(
  pieces: AsyncIterable<Item>,
  onOver: (error: CallTimeError) => void,
): AsyncGenerator<Item> {
  let found = 0;
  try {
    for await (const piece of pieces) {
      found += 1;
      yield piece;
    }
  } catch (error) {
    if (found === 0 || !(error instanceof CallTimeError)) throw error;
    onOver(error);
  }
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
