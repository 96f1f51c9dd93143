import type { StoredContent } from "../../log/payload.ts";
import { grouped, headOf } from "../../text.ts";
import type { Ends } from "./ends.ts";

/** Stored content, with the data for its preview. */
export interface StoredEnds {
  readonly stored: StoredContent;
  readonly head: string;
  readonly tail: string;
}

/** A failure to store content in a file, to report to the user. */
export interface StoringFailure {
  readonly error: Error;
  readonly bytes: number;
  readonly keptCharacters: number;
  /** How much of it the model sees. */
  readonly shown: "all" | "beginning";
}

export interface KeptContent extends StoredEnds {
  readonly kind: "stored";
}

/** Content that is too large and could not be stored: its beginning, with a line that says so. */
export interface CutContent {
  readonly kind: "cut";
  readonly text: string;
  readonly failure: StoringFailure;
}

/** How much is shown of content that could not be stored. */
export const CUT_CHARACTERS = 100_000;

/** Returns the beginning of content that could not be stored, with a note that there was more. */
export function cutContent(start: string, { bytes, lines }: Ends, error: Error): CutContent {
  const kept = headOf(start, CUT_CHARACTERS);
  const shown = kept.length === start.length ? "all" : "beginning";
  const note =
    shown === "all"
      ? ""
      : `\n[Cut here: ${grouped(bytes)} bytes in ${grouped(lines)} lines. The rest could not be stored: ${error.message}]`;
  const text = (kept + note).toWellFormed();
  return { kind: "cut", text, failure: { error, bytes, keptCharacters: kept.length, shown } };
}
