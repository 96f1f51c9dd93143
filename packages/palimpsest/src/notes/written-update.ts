import { findSection } from "./find-section.ts";
import type { NotesSection } from "./notes.ts";
import { headingIn } from "./template.ts";

/** A section as the answer has it: nothing in it has been checked yet. */
export interface WrittenSection {
  readonly heading: string;
  readonly content: string;
}

export interface WrittenUpdate {
  readonly kind: "sections";
  readonly sections: readonly WrittenSection[];
  /** Whether it came to its end. */
  readonly isClosed: boolean;
  readonly repaired: readonly string[];
}

const FRAME_OPEN = /^[ \t]*<session-notes>[ \t]*$/i;
const FRAME_CLOSE = /^[ \t]*<\/session-notes>[ \t]*$/i;
const UNCHANGED = /<session-notes>[\s"']*(unchanged)?[\s"'.]*<\/session-notes>\s*(```)?\s*$/i;
const SECTION_OPEN = /^[ \t]*<notes-section\s+[\w-]+\s*=\s*(?:"([^"]*)"|'([^']*)'|([^>]*))\s*>(.*)$/i;
const SECTION_CLOSE = /^(.*)<\/notes-section>[ \t]*$/i;

/** The sections in an answer, in the form that was asked for or, failing that, under headings. */
export function writtenUpdate(
  answer: string,
  known: readonly NotesSection[],
): WrittenUpdate | { readonly kind: "unchanged" } | { readonly kind: "none" } {
  if (UNCHANGED.test(answer)) return { kind: "unchanged" };
  const lines = answer.split("\n");
  const tagged = taggedSections(lines);
  if (tagged.sections.length > 0) return tagged;
  return sectionsByHeading(lines, known);
}

function taggedSections(all: readonly string[]): WrittenUpdate {
  const repaired: string[] = [];
  // A draft may stand before the update, in a scratchpad: the last one counts.
  const open = all.findLastIndex((line) => FRAME_OPEN.test(line));
  const close = all.findIndex((line, at) => at > open && FRAME_CLOSE.test(line));
  const lines = all.slice(open + 1, close < 0 ? all.length : close);
  const outside = [...all.slice(0, Math.max(0, open)), ...(close < 0 ? [] : all.slice(close + 1))];
  if (outside.some((line) => line.trim() !== "")) repaired.push("text around the notes was left out");
  const isFramed = open >= 0 && close >= 0;
  if (!isFramed) repaired.push("the tag around the notes was not there or not closed");

  const sections: { heading: string; lines: string[] }[] = [];
  let current: { heading: string; lines: string[] } | undefined;
  let strayLines = 0;
  for (const line of lines) {
    const opening = SECTION_OPEN.exec(line);
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
  if (strayLines > 0) repaired.push(`${strayLines} lines between the sections were left out`);
  return {
    kind: "sections",
    sections: sections.map(({ heading, lines: content }) => ({ heading, content: content.join("\n") })),
    isClosed: isFramed || (sections.length > 0 && current === undefined),
    repaired,
  };
}

/** Without tags, headings tell the sections apart, as in the notes themselves; those in code are none. */
function sectionsByHeading(
  all: readonly string[],
  known: readonly NotesSection[],
): WrittenUpdate | { readonly kind: "none" } {
  const lines = withoutFence(all.filter((line) => !FRAME_OPEN.test(line) && !FRAME_CLOSE.test(line)));
  const sections: { heading: string; lines: string[] }[] = [];
  let fence: string | undefined;
  for (const line of lines) {
    const heading = fence === undefined ? headingIn(line) : undefined;
    // A smaller heading structures the content, unless it is one of the template's.
    const begins =
      heading !== undefined && (/^#[ \t]/.test(line) || findSection(heading, known).kind === "exact")
        ? heading
        : undefined;
    const mark = /^[ \t]*(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    if (begins === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ heading: begins, lines: [line] });
  }
  if (!sections.some(({ heading }) => findSection(heading, known).kind === "exact")) return { kind: "none" };
  return {
    kind: "sections",
    sections: sections.map(({ heading, lines: content }) => ({ heading, content: content.join("\n") })),
    isClosed: false,
    repaired: ["the sections were told apart by headings instead of tags"],
  };
}

/** A fence around everything is no code. */
function withoutFence(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const isFenced = first < last && /^```\w*\s*$/.test(lines[first]!) && /^```\s*$/.test(lines[last]!);
  return isFenced ? lines.slice(first + 1, last) : lines;
}
