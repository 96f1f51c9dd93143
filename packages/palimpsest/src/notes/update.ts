import { lazyPattern } from "../log/lazy-pattern.ts";
import type { ResponseContent } from "../providers/provider.ts";
import { findSection } from "./find-section.ts";
import { type Notes, type NotesSection, tidy } from "./notes.ts";
import { headingIn, headingKey, italicIn } from "./template.ts";
import { type WrittenSection, type WrittenUpdate, writtenUpdate } from "./written-update.ts";

/** What the fork said, and why it stopped. */
export interface NotesAnswer {
  readonly text: string;
  readonly stop: ResponseContent["stop"];
}

export type NotesUpdate =
  | { readonly kind: "updated"; readonly notes: Notes; readonly repaired: readonly string[] }
  | { readonly kind: "unchanged" }
  | { readonly kind: "rejected"; readonly reason: string };

/**
 * What an answer makes of the notes. Damage is repaired where it is certain what was meant; else the notes stay as they
 * are. Headings and the lines under them come from the notes, never from the answer.
 */
export function readUpdate({ text, stop }: NotesAnswer, notes: Notes): NotesUpdate {
  const rejected = (reason: string): NotesUpdate => ({ kind: "rejected", reason });
  // Half an update would count as covering the whole conversation.
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
    if (match.kind === "damaged") repaired.push(`"${shorten(written.heading)}" was taken for "${section.heading}"`);
    const content = contentOf(written, section, repaired);
    // An empty section says nothing about what stands in it. It is a slip more often than a wish.
    if (content === "") {
      if (section.content !== "") repaired.push(`"${section.heading}" was empty and stays as it was`);
      continue;
    }
    const before = contents.get(section);
    if (before !== undefined) repaired.push(`"${section.heading}" came twice`);
    contents.set(section, before === undefined || before === content ? content : `${before}\n\n${content}`);
  }
  const updated = notes.sections.map((section) => ({ ...section, content: contents.get(section) ?? section.content }));
  const isSame = updated.every(({ content }, at) => content === notes.sections[at]!.content);
  return isSame ? { kind: "unchanged" } : { kind: "updated", notes: { sections: updated }, repaired };
}

const PLACEHOLDER = /^\W*(unchanged|no changes?( needed)?|same as (before|above)|keep as is|\.\.\.)\W*$/i;
const noWords = lazyPattern(String.raw`^[^\p{L}\p{N}]*$`, "u");

/** The content alone: without the heading and the line in italics, if they were repeated, whatever became of them. */
function contentOf({ content }: WrittenSection, section: NotesSection, repaired: string[]): string {
  let lines = tidy(content).split("\n");
  const repeatsHeading = headingIn(lines[0]!) !== undefined && headingKey(lines[0]!) === headingKey(section.heading);
  if (repeatsHeading) lines = tidy(lines.slice(1).join("\n")).split("\n");
  const italic = italicIn(lines[0]!);
  const repeatsAbout = italic !== undefined && (repeatsHeading || isAbout(italic, section.about));
  if (repeatsAbout) lines = lines.slice(1);
  if (repeatsHeading || repeatsAbout) repaired.push(`"${section.heading}" repeated its heading or the line under it`);
  const rest = tidy(lines.join("\n"));
  return PLACEHOLDER.test(rest) || noWords().test(rest) ? "" : rest;
}

/** The line of the template, perhaps in other words: most of its words are there. */
function isAbout(italic: string, about: string): boolean {
  const words = (text: string): string[] => headingKey(text).split(" ");
  const known = new Set(words(about));
  const said = words(italic);
  return said.filter((word) => known.has(word)).length > 0.6 * Math.max(said.length, known.size);
}

const ERROR =
  /^\W*((api|internal|server|request|connection|network)\b.{0,20}\berror|error\b|.{0,80}(overloaded|rate.?limit|too long|timed out))/i;
const REFUSAL =
  /^\W*(i['’]?m (sorry|unable|not able)|i am (sorry|unable|not able)|sorry|i (can['’]?t|cannot|won['’]?t|will not))/i;

function whyNothing(answer: string): string {
  const what = ERROR.test(answer) ? "an error" : REFUSAL.test(answer) ? "a refusal" : "an answer without sections";
  return `${what} instead of notes: "${shorten(answer)}"`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 80).toWellFormed()}...` : line;
}
