import type { Block } from "../../log/block.ts";
import type { MessagePayload, StoredContent } from "../../log/payload.ts";
import type { Provenance } from "../../log/provenance.ts";

export interface MessagesOptions {
  /** Only messages before this entry: `earlier` of the page behind it. @default up to the newest */
  readonly before?: number;
  /** At most so many messages, up to 1,000. @default 50 */
  readonly limit?: number;
  /** Whether to list what the host has added for the model: reminders, files, memories. @default "without" */
  readonly attachments?: "with" | "without";
}

/** A page of messages, the oldest first. */
export interface MessagePage {
  readonly messages: readonly SessionMessage[];
  /** Pass it as `before` for the page before this one; absent on the page with the first message. */
  readonly earlier?: number;
}

/**
 * How the model sees a message now. `whole`: as it was appended. `stored`: a preview; the rest is in a file, or in the log.
 * `cleared`: a stub, or what another decision shows instead. `compacted`: as part of a summary. `erased`: nobody can read it
 * any more. `user-only`: it was never meant for the model.
 */
export type ShownAs = "whole" | "stored" | "cleared" | "compacted" | "erased" | "user-only";

/** One message of the conversation, for user interfaces. A tool result is a message of its own. */
export interface SessionMessage {
  /** Its number: for `recall`, `snip`, `erase` and `rewind`. */
  readonly entry: number;
  readonly atMs: number;
  readonly role: "user" | "assistant";
  readonly origin: MessagePayload["origin"];
  /** Where its text comes from. Single blocks may say otherwise. */
  readonly provenance: Provenance;
  /** As they were appended, however the model sees them now. */
  readonly blocks: readonly Block[];
  readonly shown: ShownAs;
  /** The decision that hides it from the model; `session.history.restore(decision)` takes it back. */
  readonly decision?: number;
  /** Why it was decided. */
  readonly reason?: string;
  /** Where it is in full if it was too large when it came in: then the blocks have a preview. `recall` reads it. */
  readonly stored?: StoredContent;
  /** The pieces of one response share it. */
  readonly responseId?: string;
  readonly model?: string;
  /** The type of attachment, if it is one. */
  readonly attachment?: string;
}
