import type { StoredContent } from "../../log/payload.ts";
import { headOf } from "./cut-text.ts";
import type { Ends } from "./ends.ts";
import { grouped } from "./preview.ts";

/** What was stored, and what its preview is made from. */
export interface StoredEnds {
  readonly stored: StoredContent;
  readonly head: string;
  readonly tail: string;
}

/** A content that did not get into a file, for the user to be told. */
export interface StoringFailure {
  readonly error: Error;
  readonly bytes: number;
  readonly keptCharacters: number;
  /** What the model sees of it. */
  readonly shown: "all" | "beginning";
}

export interface KeptContent extends StoredEnds {
  readonly kind: "stored";
}

/** Too large, and it could not be stored: its beginning, with a line that says so. */
export interface CutContent {
  readonly kind: "cut";
  readonly text: string;
  readonly failure: StoringFailure;
}

/** What is shown of a content that could not be stored. */
export const CUT_CHARACTERS = 100_000;

/** The beginning of a content that could not be stored; says that there was more. */
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
