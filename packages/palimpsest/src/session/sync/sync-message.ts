import type { Block } from "../../log/block.ts";

/** A message of a framework's list, in the engine's blocks. */
export interface SyncMessage {
  /** Tool results belong to either role: frameworks keep them in messages of the user, of the tool or of the model. */
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly Block[];
  /**
   * The framework's id of the message. Where it is the provider's id of a response that `record` has entered, the response
   * stays as it was sent, however its text comes back. Not needed otherwise. @default none
   */
  readonly id?: string;
}

/** What a sync did. */
export interface Synced {
  /** How many messages of the list were there already. */
  readonly kept: number;
  /** The entries that were appended. */
  readonly appended: readonly number[];
  /** The entry that the session went back to, because a message before the end of the list was edited or deleted. */
  readonly rewoundTo?: number;
  /** Entries that came back altered under the same ids. They stay as they were sent. */
  readonly altered: readonly number[];
  /**
   * Of those, all but failed results, which frameworks word anew: somebody may have edited them. The session does not follow, because
   * an edit under the same ids cannot be told from a framework's own changes.
   */
  readonly edited: readonly number[];
  /**
   * `trimmed`: the list lacks the beginning of the conversation, because the framework has dropped or summarized it. The
   * session keeps the beginning and takes no summary over: it compacts by itself.
   */
  readonly head: "whole" | "trimmed";
  /**
   * Entries of tool calls and results that the list lacks although it has what follows them: the framework has pruned them. They
   * stay, as they were sent.
   */
  readonly pruned: readonly number[];
}
