// The texts that flattening adds to messages, and the tags that mark text from other sources as data.
//
// They are part of the log format: a session that has sent a text sends the same bytes forever. So a text never changes; new
// entries may get a new text instead.

import type { Text } from "../log/block.ts";
import type { MessagePayload } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import { lazyPattern } from "../log/search-text.ts";

/** The result of a call without a result at the next request. */
export const NO_RESULT = "No result: the call was interrupted before it answered. It may have taken effect.";

/** The first message if the log begins with an answer. */
export const CONVERSATION_CUT = "(The beginning of this conversation is not available.)";

/** The last message if nothing follows the model's answer. */
export const CONTINUE = "Continue.";

/** The text before a result without an open call, because a placeholder answered the call or there was no call. */
export const lateResult = (callId: string): string => `Result of an earlier tool call (${callId}):`;

/** Returns a text of a user message as it is sent. Text that is not the user's or the host's own is marked as data. */
export function textAsSent(block: Text, item: MessageSource): Text {
  const { provenance = item.provenance, marks, ...content } = block;
  // The origin of the message implies its provenance.
  if (provenance === undefined) return content;
  if (marks === "own") return { kind: "text", text: content.text };
  const { kind } = provenance;
  const isMessage = item.attachment === undefined;
  const isOwn = (kind === "user" && item.origin === "human") || (kind === "host" && item.origin === "host");
  if (isMessage && isOwn) return content;
  return { kind: "text", text: kind === "host" ? hostWords(content.text) : markData(content.text, provenance) };
}

/** The message or attachment that contains a text. */
interface MessageSource {
  readonly origin: MessagePayload["origin"];
  readonly provenance?: Provenance;
  /** The type of attachment, if it is one. */
  readonly attachment?: string;
}

/** Marks a text as the host's own within a user message. Text from other sources that it quotes cannot close the tag. */
export function hostWords(text: string): string {
  return `<system-reminder>\n${escapeTags(text)}\n</system-reminder>`;
}

/** Marks text from other sources as data. */
export function markData(text: string, provenance: Provenance, facts: Readonly<Record<string, string>> = {}): string {
  const name = "name" in provenance && provenance.name !== undefined ? { name: provenance.name } : {};
  return withinTag(DATA, Object.assign({ from: provenance.kind }, name, facts), text);
}

/** Puts a text between tags that it cannot close, with facts about it as attributes. */
export function withinTag(tag: string, facts: Readonly<Record<string, string>>, text: string): string {
  const attributes = Object.entries(facts).map(([name, value]) => ` ${name}="${quoteFact(value)}"`);
  return `<${tag}${attributes.join("")}>\n${escapeTags(text)}\n</${tag}>`;
}

/** Quotes the value of a fact for a tag. */
export function quoteFact(value: string): string {
  return value
    .replace(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll(/[<\uFE64\uFF1C]/g, "&lt;")
    .replaceAll(">", "&gt;")
    .toWellFormed();
}

/**
 * Escapes the tags of the engine in a text, so that the text can neither close nor open them: writes the first character of each
 * such tag as `&lt;`. All other text stays as it is.
 * @param more further tags to escape, of a frame around the text
 */
export function escapeTags(text: string, more: readonly string[] = []): string {
  const wellFormed = text.toWellFormed();
  if (!OPENERS.test(wellFormed)) return wellFormed;
  return wellFormed.replace((more.length === 0 ? ourTags : tagPattern([...TAGS, ...more]))(), "&lt;");
}

const OPENERS = /[<\uFE64\uFF1C]/;

/** The tag around text from other sources. */
const DATA = "marked-data";
/** All tags that the engine writes around text. */
const TAGS = [DATA, "system-reminder", "agent-result", "agent-message"];

/** Invisible characters. A model may still recognize a tag that contains them. */
const HIDDEN = "\\p{Cf}\\p{Mn}";

/** Built for the first text with an opener, because building its many character classes takes milliseconds. */
const ourTags = tagPattern(TAGS);

function tagPattern(tags: readonly string[]): () => RegExp {
  const names = tags.map((tag) => Array.from(tag).join(`[${HIDDEN}]*`));
  return lazyPattern(`[<\uFE64\uFF1C](?=[\\s/${HIDDEN}]*(?:${names.join("|")}))`, "giu");
}
