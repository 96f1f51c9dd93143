// Writes the prompt for an update of the notes, and reads the answer.

import { lazyPattern } from "../log/search-text.ts";
import type { ResponseContent } from "../providers/provider.ts";
import {
  type CountTokens,
  findSection,
  NOTES_LIMITS,
  type Notes,
  type NotesLimits,
  type NotesSection,
  notesMarkdown,
  sizeOfNotes,
  tidy,
} from "./notes.ts";
import { headingIn, headingKey, italicIn } from "./template.ts";

/** A tag, a placeholder or a sentence with which an answer begins is shorter. A longer text is content. */
const MAX_MARK_CHARACTERS = 500;
const FRAME_OPEN = /^[ \t]*<session-notes>[ \t]*$/i;
const FRAME_CLOSE = /^[ \t]*<\/session-notes>[ \t]*$/i;
const UNCHANGED = /<session-notes>[\s"']*(unchanged)?[\s"'.]*<\/session-notes>\s*(```)?\s*$/i;
const SECTION_OPEN = /^[ \t]*<notes-section\s+[\w-]+\s*=\s*(?:"([^"]*)"|'([^']*)'|([^>]*))\s*>(.*)$/i;
const SECTION_CLOSE = /^(.*)<\/notes-section>[ \t]*$/i;
const PLACEHOLDER = /^\W*(unchanged|no changes?( needed)?|same as (before|above)|keep as is|\.\.\.)\W*$/i;

const noWords = lazyPattern(String.raw`^[^\p{L}\p{N}]*$`, "u");

const ERROR =
  /^\W*((api|internal|server|request|connection|network)\b.{0,20}\berror|error\b|.{0,80}(overloaded|rate.?limit|too long|timed out))/i;

const REFUSAL =
  /^\W*(i['’]?m (sorry|unable|not able)|i am (sorry|unable|not able)|sorry|i (can['’]?t|cannot|won['’]?t|will not))/i;

/** The form of the answer. Each tag is on its own line, and its name does not occur in pages or programs. */
export const UPDATE_FORM = `Answer in exactly this form, each tag on a line of its own:

<session-notes>
<notes-section heading="the heading, letter for letter">
the new content of that section, all of it: it takes the place of the old
</notes-section>
</session-notes>

- One <notes-section> for each section that changes. A section that you leave out stays as it is.
- Inside of it neither the heading nor the line in italics: they are fixed.
- If nothing changes: <session-notes>unchanged</session-notes>.
- Text only. Call no tool: every call is refused, and the update is lost.`;

const UPDATE_PROMPT = `This message comes from the program around you, not from the user. Do not go on with the task now. Bring the notes about this session up to date, from everything that stands above this message. Answer with text only; call no tool.

The notes are what will be left when the conversation above is gone. Whoever goes on from them has to find the work where you left it.

Here are the notes as they are:

<current-notes>
{{notes}}
</current-notes>

How to write them:
- "What is being worked on" and "what comes next" age fastest: if there are such sections, write them anew every time.
- Be exact: paths, names of functions, commands with their arguments, error messages, figures, as they are. What the user asked for, corrected or ruled out goes in in their own words.
- Take in what is new. What no longer holds goes out; what still holds stays, also if it is old.
- Say a thing once, where it belongs. No filler; leave a section empty rather than write that there is nothing to say.
- Not in the notes: this message, the keeping of notes, anything that stands in the system prompt or in instruction files.
- Write in the language of the conversation.

{{limits}}

{{form}}`;

/** The answer of the fork, with its stop reason. */
interface NotesAnswer {
  readonly text: string;
  readonly stop: ResponseContent["stop"];
}

export type NotesUpdate =
  | { readonly kind: "updated"; readonly notes: Notes; readonly repaired: readonly string[] }
  | { readonly kind: "unchanged" }
  | { readonly kind: "rejected"; readonly reason: string };

/**
 * Applies an answer to the notes. Repairs damage if the meaning is certain; otherwise the notes stay as they are.
 * Headings and the lines below them come from the notes, never from the answer.
 */
export function readUpdate({ text, stop }: NotesAnswer, notes: Notes): NotesUpdate {
  const rejected = (reason: string): NotesUpdate => ({ kind: "rejected", reason });
  // Reject an incomplete update, because it would count as covering the whole conversation.
  if (stop === "length" || stop === "window" || stop === "paused") return rejected(`the answer was cut off (${stop})`);
  if (stop === "refused") return rejected("the model refused");
  const answer = tidy(text);
  if (answer === "") return rejected(stop === "tools" ? "the answer is a tool call" : "the answer is empty");
  const written = writtenUpdate(answer, notes.sections);
  if (written.kind === "unchanged") return { kind: "unchanged" };
  if (written.kind === "none") return rejected(whyNothing(answer));
  if (stop !== "end" && !written.isClosed) return rejected(`the answer was cut off (${stop})`);
  return replaceSections(written, notes);
}

function replaceSections({ sections, repaired: found }: WrittenUpdate, notes: Notes): NotesUpdate {
  const repaired = [...found];
  const contents = new Map<NotesSection, string>();
  for (const written of sections) {
    const match = findSection(written.heading, notes.sections);
    if (match.kind === "unknown")
      return { kind: "rejected", reason: `there is no section "${shorten(written.heading)}"` };
    const { section } = match;
    if (match.kind === "damaged") repaired.push(`"${shorten(written.heading)}" was read as "${section.heading}"`);
    const content = contentOf(written, section, repaired);
    // Ignore an empty section. It is more often a mistake than a decision.
    if (content === "") {
      if (section.content !== "") repaired.push(`"${section.heading}" was empty, so the section was not changed`);
      continue;
    }
    const before = contents.get(section);
    if (before !== undefined) repaired.push(`"${section.heading}" occurred twice`);
    contents.set(section, before === undefined || before === content ? content : `${before}\n\n${content}`);
  }
  const updated = notes.sections.map((section) => ({ ...section, content: contents.get(section) ?? section.content }));
  const isSame = updated.every(({ content }, at) => content === notes.sections[at]!.content);
  return isSame ? { kind: "unchanged" } : { kind: "updated", notes: { sections: updated }, repaired };
}

/** Returns the content of a section without its heading and its line in italics, if the answer repeats them. */
function contentOf({ content }: WrittenSection, section: NotesSection, repaired: string[]): string {
  let lines = tidy(content).split("\n");
  const repeatsHeading = headingIn(lines[0]!) !== undefined && headingKey(lines[0]!) === headingKey(section.heading);
  if (repeatsHeading) lines = tidy(lines.slice(1).join("\n")).split("\n");
  const italic = italicIn(lines[0]!);
  const repeatsAbout = italic !== undefined && (repeatsHeading || isAbout(italic, section.about));
  if (repeatsAbout) lines = lines.slice(1);
  if (repeatsHeading || repeatsAbout) repaired.push(`"${section.heading}" repeated its heading or the line below it`);
  const rest = tidy(lines.join("\n"));
  return (rest.length <= MAX_MARK_CHARACTERS && PLACEHOLDER.test(rest)) || noWords().test(rest) ? "" : rest;
}

/** Tells whether a line repeats the template's description of the section, that is, whether most of the words are the same. */
function isAbout(italic: string, about: string): boolean {
  const words = (text: string): string[] => headingKey(text).split(" ");
  const expected = new Set(words(about));
  const found = words(italic);
  return found.filter((word) => expected.has(word)).length > 0.6 * Math.max(found.length, expected.size);
}

function whyNothing(answer: string): string {
  const beginning = answer.slice(0, MAX_MARK_CHARACTERS);
  const what = ERROR.test(beginning)
    ? "an error"
    : REFUSAL.test(beginning)
      ? "a refusal"
      : "an answer without sections";
  return `${what} instead of notes: "${shorten(answer)}"`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 80).toWellFormed()}...` : line;
}

/** A section of the answer, not checked yet. */
interface WrittenSection {
  readonly heading: string;
  readonly content: string;
}

interface WrittenUpdate {
  readonly kind: "sections";
  readonly sections: readonly WrittenSection[];
  /** Whether the answer is complete. */
  readonly isClosed: boolean;
  readonly repaired: readonly string[];
}

/** Reads the sections of an answer, from tags in the requested form or otherwise from headings. */
function writtenUpdate(
  answer: string,
  existing: readonly NotesSection[],
): WrittenUpdate | { readonly kind: "unchanged" } | { readonly kind: "none" } {
  if (UNCHANGED.test(answer.slice(-MAX_MARK_CHARACTERS))) return { kind: "unchanged" };
  const lines = answer.split("\n");
  const tagged = taggedSections(lines);
  if (tagged.sections.length > 0) return tagged;
  return sectionsByHeading(lines, existing);
}

function taggedSections(all: readonly string[]): WrittenUpdate {
  const repaired: string[] = [];
  // The answer may contain a draft before the update. The last one counts.
  const open = all.findLastIndex((line) => FRAME_OPEN.test(line));
  const close = all.findIndex((line, at) => at > open && FRAME_CLOSE.test(line));
  const lines = all.slice(open + 1, close < 0 ? all.length : close);
  const outside = [...all.slice(0, Math.max(0, open)), ...(close < 0 ? [] : all.slice(close + 1))];
  if (outside.some((line) => line.trim() !== "")) repaired.push("text around the notes was removed");
  const isFramed = open >= 0 && close >= 0;
  if (!isFramed) repaired.push("the tag around the notes was missing or not closed");

  const sections: { heading: string; lines: string[] }[] = [];
  let current: { heading: string; lines: string[] } | undefined;
  let strayLines = 0;
  for (const line of lines) {
    const opening = line.length > MAX_MARK_CHARACTERS ? null : SECTION_OPEN.exec(line);
    if (opening !== null) {
      if (current !== undefined) repaired.push(`"${current.heading}" was not closed`);
      const heading = opening[1] ?? opening[2] ?? opening[3] ?? "";
      current = { heading, lines: [] };
      sections.push(current);
    }
    const rest = opening === null ? line : opening[4]!;
    if (current === undefined) {
      if (rest.trim() !== "") strayLines++;
      continue;
    }
    const closing = SECTION_CLOSE.exec(rest);
    current.lines.push(closing === null ? rest : closing[1]!);
    if (closing !== null) current = undefined;
  }
  if (current !== undefined) repaired.push(`"${current.heading}" was not closed`);
  if (strayLines > 0) repaired.push(`${strayLines} lines between the sections were removed`);
  return {
    kind: "sections",
    sections: sections.map(({ heading, lines: content }) => ({ heading, content: content.join("\n") })),
    isClosed: isFramed || (sections.length > 0 && current === undefined),
    repaired,
  };
}

/** Reads sections without tags by their headings, as in the notes themselves. Headings in code do not count. */
function sectionsByHeading(
  all: readonly string[],
  existing: readonly NotesSection[],
): WrittenUpdate | { readonly kind: "none" } {
  const lines = withoutFence(all.filter((line) => !FRAME_OPEN.test(line) && !FRAME_CLOSE.test(line)));
  const sections: { heading: string; lines: string[] }[] = [];
  let fence: string | undefined;
  for (const line of lines) {
    const heading = fence === undefined ? headingIn(line) : undefined;
    // A heading of a lower level is part of the content, unless it is a heading of the template.
    const begins =
      heading !== undefined && (/^#[ \t]/.test(line) || findSection(heading, existing).kind === "exact")
        ? heading
        : undefined;
    const mark = /^[ \t]*(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    if (begins === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ heading: begins, lines: [line] });
  }
  if (!sections.some(({ heading }) => findSection(heading, existing).kind === "exact")) return { kind: "none" };
  return {
    kind: "sections",
    sections: sections.map(({ heading, lines: content }) => ({ heading, content: content.join("\n") })),
    isClosed: false,
    repaired: ["the sections had headings instead of tags"],
  };
}

/** Removes a code fence around the whole answer. */
function withoutFence(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const isFenced = first < last && /^```\w*\s*$/.test(lines[first]!) && /^```\s*$/.test(lines[last]!);
  return isFenced ? lines.slice(first + 1, last) : lines;
}

interface UpdatePromptOptions {
  readonly notes: Notes;
  readonly countTokens: CountTokens;
  /** @default NOTES_LIMITS */
  readonly limits?: NotesLimits;
  /**
   * A custom prompt. `{{notes}}`, `{{limits}}` and `{{form}}` stand for the current notes, the sections that are too
   * long, and the form of the answer. Missing placeholders are added at the end. @default the built-in prompt
   */
  readonly prompt?: string;
}

/** Builds the prompt for the fork that updates the notes. */
export function updatePrompt({
  notes,
  countTokens,
  limits = NOTES_LIMITS,
  prompt = UPDATE_PROMPT,
}: UpdatePromptOptions): string {
  const parts: Readonly<Record<string, string>> = {
    notes: notesMarkdown(notes).trim(),
    limits: limitsText(notes, limits, countTokens),
    form: UPDATE_FORM,
  };
  const missing = Object.keys(parts).filter((name) => !prompt.includes(`{{${name}}}`));
  const added = missing.map((name) =>
    name === "notes" ? "<current-notes>\n{{notes}}\n</current-notes>" : `{{${name}}}`,
  );
  // Replace in one pass, so that the content of the notes is never taken for a placeholder.
  return [prompt.trim(), ...added]
    .join("\n\n")
    .replace(/\{\{(notes|limits|form)\}\}/g, (_, name: string) => parts[name]!);
}

function limitsText(notes: Notes, limits: NotesLimits, countTokens: CountTokens): string {
  const { whole, totalTokens, oversized } = sizeOfNotes(notes, limits, countTokens);
  const rule = `A section has at most ${limits.sectionTokens} tokens, all of them together at most ${limits.totalTokens}.`;
  const tooLong = oversized.map(({ heading, tokens }) => `- "${heading}" has ${tokens} tokens.`);
  return [
    rule,
    ...(whole === "within"
      ? []
      : [
          `The notes have ${totalTokens} tokens now: too many. Shorten every section hard in this update, the longest most. What is being worked on, and what failed and was corrected, goes last.`,
        ]),
    ...(tooLong.length === 0
      ? []
      : [
          "These sections are too long. Write each anew in this update, condensed: keep what is needed to go on, join what belongs together, drop steps that led nowhere.",
          ...tooLong,
        ]),
  ].join("\n");
}
