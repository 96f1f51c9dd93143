import type { Block } from "../log/block.ts";

/**
 * One message as it is about to be rendered. Whatever the log holds: roles alternate, the first is the user's, every call
 * is answered in the next message, ids are unique and safe, no text is empty, strings are well-formed, and blocks that
 * another provider signed are gone.
 */
export interface FlatMessage {
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
}
