/** The limits of a memory. A write beyond them is refused, with the numbers; nothing is dropped. */
export interface MemoryLimits {
  /** Lines of the index that the model sees, and that writes may fill. @default 200 */
  readonly indexLines: number;
  /** Bytes of the index, whichever limit is reached first. @default 25_000 */
  readonly indexBytes: number;
  /** The length of a topic's line in the index: a longer one is cut there; the topic has the full text. @default 150 */
  readonly lineCharacters: number;
  /** @default 80 */
  readonly nameCharacters: number;
  /** @default 400 */
  readonly descriptionCharacters: number;
  /** A topic's whole file. @default 16_384 */
  readonly topicBytes: number;
  /** Proposals that wait in the inbox. @default 100 */
  readonly proposals: number;
}

/** The limits of a memory, if nothing else is set. */
export const DEFAULT_LIMITS: MemoryLimits = {
  // About 6,000 tokens at the head of every session: the share of a window that a table of contents may take.
  indexLines: 200,
  indexBytes: 25_000,
  lineCharacters: 150,
  nameCharacters: 80,
  descriptionCharacters: 400,
  // One topic is one fact with its reasons. Five of them are attached to a message, so each has to stay small.
  topicBytes: 16_384,
  // More than a user looks through. A web page that proposes without end fills the inbox, and nothing else.
  proposals: 100,
};

/** The free space in the index. */
export interface Headroom {
  readonly lines: number;
  readonly bytes: number;
}
