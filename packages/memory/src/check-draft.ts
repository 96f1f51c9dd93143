import type { MemoryLimits } from "./limits.ts";
import { type Refused, refused } from "./outcomes.ts";
import { isSlug, slugOf } from "./slug.ts";
import { type Evidence, TOPIC_TYPES, type TopicDraft } from "./topic.ts";

/** A draft with its slug. */
export type CheckedDraft = TopicDraft & { readonly slug: string };

/**
 * Control characters that a terminal obeys, marks that reverse the writing direction, and tags: text that a model reads and a
 * user does not see.
 */
const HIDDEN = /[\p{Cc}\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;
const MAX_QUOTE_CHARACTERS = 2_000;

/** Returns the draft, or why it cannot become a topic. Drafts of models are unchecked input. */
export function checkDraft(draft: TopicDraft, limits: MemoryLimits): CheckedDraft | Refused {
  const name = checkLine("name", draft.name, limits.nameCharacters);
  if (name !== undefined) return name;
  const slug = draft.slug ?? slugOf(draft.name);
  if (!isSlug(slug)) return refused("bad-name", `${show(slug)} cannot name a topic. Use a-z, 0-9 and -, at most 64.`);
  if (!TOPIC_TYPES.includes(draft.type)) {
    return refused("bad-text", `The type is ${show(draft.type)}. Use one of ${TOPIC_TYPES.join(", ")}.`);
  }
  return (
    checkLine("description", draft.description, limits.descriptionCharacters) ??
    checkBody(draft.body) ??
    checkEvidence(draft.evidence ?? []) ?? {
      ...draft,
      slug,
      name: draft.name.trim(),
      description: draft.description.trim(),
    }
  );
}

/** A reason, or a name for several changes: one line of text. */
export function checkReason(what: string, text: string): Refused | undefined {
  return checkLine(what, text, 500);
}

function checkLine(what: string, text: unknown, mostCharacters: number): Refused | undefined {
  const because = what === "name" ? "bad-name" : "bad-text";
  if (typeof text !== "string" || text.trim() === "") return refused(because, `The ${what} is empty.`);
  if (!text.isWellFormed() || HIDDEN.test(text)) {
    return refused(because, `The ${what} has ${hiddenIn(text)}. It has to be one line that can be seen.`);
  }
  const { length } = [...text];
  if (length <= mostCharacters) return undefined;
  return refused(because, `The ${what} has ${length} characters; at most ${mostCharacters} are possible. Shorten it.`);
}

function checkBody(body: unknown): Refused | undefined {
  if (typeof body !== "string" || body.trim() === "") return refused("bad-text", "The body is empty.");
  const inLines = body.replaceAll(/[\n\t]|\r\n/g, "");
  if (inLines.isWellFormed() && !HIDDEN.test(inLines)) return undefined;
  return refused("bad-text", `The body has ${hiddenIn(inLines)}. Leave it out.`);
}

function checkEvidence(evidence: readonly Evidence[]): Refused | undefined {
  for (const { session, entry, quote } of evidence) {
    const isWhole = typeof session === "string" && session !== "" && Number.isSafeInteger(entry);
    if (!isWhole || typeof quote !== "string") {
      return refused("bad-text", "Evidence is a session, the number of an entry, and a quote from it.");
    }
    if (!session.isWellFormed() || !quote.isWellFormed()) return refused("bad-text", "A quote has half a character.");
    if (quote.length <= MAX_QUOTE_CHARACTERS) continue;
    return refused("bad-text", `A quote has ${quote.length} characters; at most ${MAX_QUOTE_CHARACTERS} are possible.`);
  }
  return undefined;
}

function hiddenIn(text: string): string {
  const found = HIDDEN.exec(text)?.[0].codePointAt(0);
  return found === undefined
    ? "half a character"
    : `the character U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
}

function show(text: unknown): string {
  return JSON.stringify(String(text).slice(0, 100));
}
