import { asCount, asList, asString, type JsonObject } from "palimpsest/schema";
import { sha256 } from "palimpsest/store-parts";

/** Where a page begins: a session, an entry of it, a character of its text. */
export interface Position {
  readonly session: string;
  readonly entry: number;
  readonly character: number;
}

/** What was asked for: a cursor belongs to it. */
export interface Asked {
  readonly tool: string;
  readonly input: JsonObject;
}

/** The longest cursor that is looked at: it comes from a model. */
const MAX_CHARACTERS = 400;

export function toCursor({ session, entry, character }: Position, asked: Asked): string {
  return Buffer.from(JSON.stringify([markOf(asked), session, entry, character])).toString("base64url");
}

/** Reads the cursor of an input. `none`: the first page is wanted. `foreign`: it belongs to another question, or is none of ours. */
export function readCursor(asked: Asked): Position | "none" | "foreign" {
  const given = asked.input["cursor"];
  if (given === undefined || given === "") return "none";
  if (typeof given !== "string" || given.length > MAX_CHARACTERS) return "foreign";
  const [mark, session, entry, character] = asList(parse(given)) ?? [];
  const position = { session: asString(session), entry: asCount(entry), character: asCount(character) };
  const isWhole = Object.values(position).every((part) => part !== undefined);
  return isWhole && mark === markOf(asked) ? (position as Position) : "foreign";
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
}

/** The same for the same question, in any order of its fields. */
function markOf({ tool, input }: Asked): string {
  const fields = Object.entries(input).filter(([name]) => name !== "cursor");
  return sha256(JSON.stringify([tool, fields.toSorted(([one], [other]) => (one < other ? -1 : 1))])).slice(0, 12);
}
