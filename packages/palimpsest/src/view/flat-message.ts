import type { Block } from "../log/block.ts";

/**
 * One message, ready to be rendered. It keeps these rules for any log: roles alternate, the first message is the user's, the
 * next message answers every call, ids are unique and safe, no text is empty, strings are well-formed, and no block is signed
 * by another provider.
 */
export interface FlatMessage {
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
  /** The message calls or answers `tool_search`, and the model takes deferred tools in its provider's own form. @default it does not */
  readonly toolSearch?: "native";
}
