import { attachment } from "palimpsest";
import type { AttachmentPayload } from "palimpsest/core";
import type { AgentSession } from "./open-agent-session.ts";

/** One part of what stands before all that is said. */
export interface HeadSection {
  /** As things are now; undefined if there is nothing to say. */
  text(): Promise<string | undefined>;
  /**
   * What has changed since the model was last told; undefined if nothing has.
   * @param shown what it sees of the head and of changes, in order
   */
  changes(shown: readonly string[]): Promise<string | undefined>;
}

/**
 * The head of a session, from several hands. It stands at the very front of the messages, so it is made when the session begins
 * and at boundaries only; what changes in between is said at the end, where it costs nothing but itself.
 */
export interface SessionHead {
  /** For `Surroundings.head`. */
  text(): Promise<string | undefined>;
  /** For the end of the messages. */
  changes(session: Pick<AgentSession, "view">): Promise<readonly AttachmentPayload[]>;
}

/** The type of attachments in which changes are said, and instructions of folders. */
export const INSTRUCTIONS = "instructions";

export function createSessionHead(sections: readonly HeadSection[]): SessionHead {
  return {
    async text() {
      const texts = await Promise.all(sections.map((section) => section.text()));
      return texts.filter((text) => text !== undefined).join("\n\n") || undefined;
    },
    async changes(session) {
      const shown = shownTexts(session);
      const texts = await Promise.all(sections.map((section) => section.changes(shown)));
      return texts.flatMap((text) => (text === undefined ? [] : [attachment(INSTRUCTIONS, text)]));
    },
  };
}

/** What the model sees of the head, and of what was said about it since. */
export function shownTexts(session: Pick<AgentSession, "view">): readonly string[] {
  return [...session.view.attached("head"), ...session.view.attached(INSTRUCTIONS)];
}
