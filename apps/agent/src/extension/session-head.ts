import { attachment, type HeadContent } from "palimpsest";

import type { AttachmentPayload } from "palimpsest/inspect";
import type { AgentSession } from "./open-agent-session.ts";

/** A text of the head, with its source. @default the agent itself */
export type HeadText = Exclude<HeadContent, string>[number];

/**
 * One section of the head. A plain string is in the agent's own words. Texts of others state their source and are
 * marked as data.
 */
export interface HeadSection {
  /** The current text. Undefined if the section is empty. */
  text(): Promise<HeadContent | undefined>;
  /**
   * The changes since the model last saw the section. Undefined without changes.
   * @param shown the texts of the head and of its changes that the model sees, in order
   */
  changes(shown: readonly string[]): Promise<HeadContent | undefined>;
}

/**
 * The head of a session, built from sections. It is written only at the start and at compactions, because it comes
 * before all messages. Changes in between are appended at the end, where they do not invalidate the prompt cache.
 */
export interface SessionHead {
  /** The content for `Surroundings.head`. */
  text(): Promise<HeadContent | undefined>;
  /** The changes to append to the messages. */
  changes(session: Pick<AgentSession, "view">): Promise<readonly AttachmentPayload[]>;
}

/** The type of attachments that contain changes to the head, or folder instructions. */
export const INSTRUCTIONS = "instructions";
/** The type of attachments with folder instructions that a compaction has shown again. */
const FOLDER_RULES = "folder-rules";

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

/** The texts of the head, its later changes and folder instructions that the model sees, in order. */
export function shownTexts(session: Pick<AgentSession, "view">): readonly string[] {
  return session.view.attached("head", INSTRUCTIONS, FOLDER_RULES);
}
