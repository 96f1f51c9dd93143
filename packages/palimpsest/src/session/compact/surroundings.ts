import type { HeadContent } from "../../log/messages.ts";
import type { Provenance } from "../../log/provenance.ts";

/**
 * What the host knows about the work beside the conversation. After a compaction it is asked for it again, because what the
 * conversation said about it is folded. Whatever throws or is undefined is left out.
 */
export interface Surroundings {
  /**
   * What stands before all that is said, such as instructions that the user has written down. Asked for when a session begins
   * and at each compaction that folds it; in between it stays the same to the byte, whatever the answer would be by then.
   * A string is in the host's words. Of texts in a list, each says where it comes from: those of others are marked as data.
   */
  readonly head?: () => Promise<HeadContent | undefined>;
  /** The present content of a file; undefined if it may not be read, or should not be shown again. */
  readonly readFile?: (path: string) => Promise<string | undefined>;
  /** Skills that were used, the newest first. */
  readonly skills?: () => Promise<readonly NamedText[]>;
  /** The todo list; undefined if there is none, or all is done. */
  readonly todos?: () => Promise<string | undefined>;
  /** The plan, as a whole; with its path, where the model's tools can read it. */
  readonly plan?: () => Promise<string | PlacedText | undefined>;
  /** What holds while the plan is being made. */
  readonly planMode?: () => Promise<string | undefined>;
  /** Tools that are announced in the conversation: their list, schemas that were handed out later. */
  readonly tools?: () => Promise<string | undefined>;
  /** What servers of tools say about their use. */
  readonly toolInstructions?: () => Promise<string | undefined>;
}

/** A text that is also in a file. */
export interface PlacedText {
  readonly text: string;
  /** Where the model's own tools can read it. */
  readonly path: string;
}

/** A text with a name, such as a file or a skill. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
  /** Where the text comes from. @default { kind: "project", name } */
  readonly provenance?: Provenance;
}
