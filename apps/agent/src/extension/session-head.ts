import { type HeadContent, attachment } from "palimpsest";

import type { AttachmentPayload } from "palimpsest/inspect";
import type { AgentSession } from "./open-agent-session.ts";

/** A text of the head that says where it comes from. @default the agent itself */
export type HeadText = Exclude<HeadContent, string>[number];

/**
 * One section of the head. A string is in the agent's own words. Words of others are texts that say where they come from: they
 * are marked as data.
 */
export interface HeadSection {
  /** The current text; undefined if the section is empty. */
  text(): Promise<HeadContent | undefined>;
  /**
   * The changes since the model saw the section last; undefined without changes.
   * @param shown the texts of the head and of changes that the model sees, in order
   */
  changes(shown: readonly string[]): Promise<HeadContent | undefined>;
}

/**
 * The head of a session, built from sections. It is at the front of the messages, so it is written only at the start and at
 * compactions. Changes in between are appended at the end, where they do not invalidate the prompt cache.
 */
export interface SessionHead {
  /** For `Surroundings.head`. */
  text(): Promise<HeadContent | undefined>;
  /** For the end of the messages. */
  changes(session: Pick<AgentSession, "view">): Promise<readonly AttachmentPayload[]>;
}

/** The type of attachments with changes of the head and instructions of folders. */
export const INSTRUCTIONS = "instructions";

export function createSessionHead(sections: readonly HeadSection[]): SessionHead {
  return {
    async text() {
      const texts = await Promise.all(sections.map((section) => section.text()));
      const blocks = texts.flatMap((text) => (text === undefined || text === "" ? [] : toTexts(text)));
      return blocks.length === 0 ? undefined : blocks;
    },
    async changes(session) {
      const shown = shownTexts(session);
      const texts = await Promise.all(sections.map((section) => section.changes(shown)));
      return texts.flatMap((text) =>
        text === undefined ? [] : [attachment(INSTRUCTIONS, toTexts(text), { kind: "host" })],
      );
    },
  };
}

function toTexts(content: HeadContent): readonly HeadText[] {
  return typeof content === "string" ? [{ kind: "text", text: content }] : content;
}

/** The head and its later changes, as the model sees them. */
export function shownTexts(session: Pick<AgentSession, "view">): readonly string[] {
  return [...session.view.attached("head"), ...session.view.attached(INSTRUCTIONS)];
}
