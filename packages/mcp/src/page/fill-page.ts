import {
  addFeatures,
  escapeTags,
  estimateTokens,
  type Features,
  featuresOf,
  NO_FEATURES,
  padTokens,
  startCalibration,
} from "palimpsest/inspect";

/** A part of an answer that is never split. */
export interface Piece<Position> {
  readonly text: string;
  /** Where the next page begins if this piece does not fit. */
  readonly at: Position;
  /** `new`: it belongs on the next page, because this one has taken long enough. @default "same" */
  readonly page?: "same" | "new";
}

export interface Page<Position> {
  readonly text: string;
  /** Absent on the last page. */
  readonly next?: Position;
}

/** Clients cut longer results, one of them beyond 25,000 tokens of its own count. */
export const ANSWER_TOKENS = 20_000;
/** Left for the words around a page. */
const FRAME_TOKENS = 1_000;
/** Small enough that a piece fits a page even where every character costs several tokens. */
export const PIECE_CHARACTERS = 2_000;

const COUNTER = startCalibration();

/** Counts as the engine does before it compares with a limit: an estimate, with room for its error. */
export function countTokens(text: string): number {
  let features = NO_FEATURES;
  // The features of a longer text are extrapolated from its parts.
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    features = addFeatures(features, featuresOfText(text.slice(at, at + PIECE_CHARACTERS)));
  }
  return tokensOf(features);
}

/** Takes pieces as long as they fit. Reads no further than the first one that does not. */
export async function fillPage<Position>(
  pieces: AsyncIterable<Piece<Position>>,
  maxTokens: number = ANSWER_TOKENS - FRAME_TOKENS,
): Promise<Page<Position>> {
  const texts: string[] = [];
  let features = NO_FEATURES;
  for await (const { text, at, page } of pieces) {
    if (page === "new") return { text: texts.join(""), next: at };
    // As the text will stand between tags: that makes it longer.
    const shown = escapeTags(text);
    const more = addFeatures(features, featuresOfText(shown));
    if (texts.length > 0 && tokensOf(more) > maxTokens) return { text: texts.join(""), next: at };
    texts.push(shown);
    features = more;
  }
  return { text: texts.join("") };
}

function featuresOfText(text: string): Features {
  return featuresOf({ kind: "text", text });
}

function tokensOf(features: Features): number {
  return padTokens(COUNTER, estimateTokens(COUNTER, features));
}
