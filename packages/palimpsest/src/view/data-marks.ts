import { lazyPattern } from "../log/lazy-pattern.ts";
import type { Provenance } from "../log/provenance.ts";

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
