import type { Text } from "../log/block.ts";
import type { MessagePayload } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import { lazyPattern } from "../log/search-text.ts";

/**
 * Texts that flattening puts where the log has a gap. They are part of the log format: a session that has sent them once
 * sends the same bytes for ever, so a text is never changed, only superseded by a new one for new entries.
 */

/** The result of a call that has none when the next request is made. */
export const NO_RESULT = "No result: the call was interrupted before it answered. It may have taken effect.";

/** The first message, if the log begins with an answer. */
export const CONVERSATION_CUT = "(The beginning of this conversation is not available.)";

/** The last message, if nothing follows the model's answer. */
export const CONTINUE = "Continue.";

/** Stands before a result that came after a placeholder had answered its call, or that has no call. */
export const lateResult = (callId: string): string => `Result of an earlier tool call (${callId}):`;

/** The tag around text that is neither the user's nor the host's. */
const DATA = "marked-data";
/** The tags that only Palimpsest writes around text. */
const TAGS = [DATA, "system-reminder", "agent-result", "agent-message"];

/** Characters that nobody sees: they would not keep a reader from seeing a tag. */
const HIDDEN = "\\p{Cf}\\p{Mn}";

/**
 * Text that can neither close the tags around it nor open one of them: of every such tag, the first character is written as
 * `&lt;`. All other text stays as it is.
 * @param more further tags, of a frame that the text is put into
 */
export function escapeTags(text: string, more: readonly string[] = []): string {
  const wellFormed = text.toWellFormed();
  if (!OPENERS.test(wellFormed)) return wellFormed;
  return wellFormed.replace((more.length === 0 ? ourTags : tagPattern([...TAGS, ...more]))(), "&lt;");
}

const OPENERS = /[<\uFE64\uFF1C]/;

/** Made for the first text that has an opener: its many classes of characters take milliseconds, which not every start needs. */
const ourTags = tagPattern(TAGS);

function tagPattern(tags: readonly string[]): () => RegExp {
  const names = tags.map((tag) => Array.from(tag).join(`[${HIDDEN}]*`));
  return lazyPattern(`[<\uFE64\uFF1C](?=[\\s/${HIDDEN}]*(?:${names.join("|")}))`, "giu");
}

/** A text between tags, with facts about it that it cannot change. */
export function withinTag(tag: string, facts: Readonly<Record<string, string>>, text: string): string {
  const told = Object.entries(facts).map(([name, value]) => ` ${name}="${quoteFact(value)}"`);
  return `<${tag}${told.join("")}>\n${escapeTags(text)}\n</${tag}>`;
}

/** The value of a fact, as it stands in a tag. */
export function quoteFact(value: string): string {
  return value
    .replace(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll(/[<\uFE64\uFF1C]/g, "&lt;")
    .replaceAll(">", "&gt;")
    .toWellFormed();
}

/** Words of the host within a user message. They may quote text of others, which cannot end them. */
export function hostWords(text: string): string {
  return `<system-reminder>\n${escapeTags(text)}\n</system-reminder>`;
}

/** Text of others as data. */
export function markData(text: string, provenance: Provenance, facts: Readonly<Record<string, string>> = {}): string {
  const name = "name" in provenance && provenance.name !== undefined ? { name: provenance.name } : {};
  return withinTag(DATA, Object.assign({ from: provenance.kind }, name, facts), text);
}

/** What a text stands in. */
interface Speaking {
  readonly origin: MessagePayload["origin"];
  readonly provenance?: Provenance;
  /** The type of attachment, if it is one. */
  readonly attachment?: string;
}

/** A text of a user message as it is sent: what is not said by the user or the host is marked as data. */
export function inItsVoice(block: Text, item: Speaking): Text {
  const { provenance = item.provenance, marks, ...said } = block;
  // Only a message whose origin says who speaks.
  if (provenance === undefined) return said;
  if (marks === "own") return { kind: "text", text: said.text };
  const { kind } = provenance;
  const isMessage = item.attachment === undefined;
  const speaks = (kind === "user" && item.origin === "human") || (kind === "host" && item.origin === "host");
  if (isMessage && speaks) return said;
  return { kind: "text", text: kind === "host" ? hostWords(said.text) : markData(said.text, provenance) };
}
