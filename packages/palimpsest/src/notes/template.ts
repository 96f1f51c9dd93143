// The sections of the notes: the built-in template, and templates of hosts.

import { lazyPattern } from "../log/search-text.ts";

/** A section of the notes: its heading, and one line that describes its content. Updates change neither. */
export interface TemplateSection {
  readonly heading: string;
  readonly about: string;
}

export type NotesTemplate = readonly TemplateSection[];

/** The built-in template. */
export const NOTES_TEMPLATE: NotesTemplate = [
  {
    heading: "Session title",
    about: "Five to ten words by which someone who was not there would recognise this session.",
  },
  {
    heading: "Current state",
    about: "What is being worked on right now, what is still open, and the very next step.",
  },
  {
    heading: "Task specification",
    about: "What the user asked for, in their terms; what was decided about the design, and why.",
  },
  {
    heading: "Files and functions",
    about: "The files that matter, by path, and what in them matters for the task.",
  },
  {
    heading: "Workflow",
    about: "Commands that are run here, in which order, and how to read what they print.",
  },
  {
    heading: "Errors and corrections",
    about: "What failed and how it was put right; what the user corrected; what not to try again.",
  },
  {
    heading: "Codebase and system documentation",
    about: "How the parts of the system work and fit together, as far as it was found out.",
  },
  {
    heading: "Learnings",
    about: "What turned out to work well, what did not, and what to watch for. Nothing that stands above.",
  },
  {
    heading: "Key results",
    about: "Output that the user asked for, exactly as it was: a figure, a table, an answer, a document.",
  },
  {
    heading: "Worklog",
    about: "Step by step, what was tried and done, a few words for each.",
  },
];

export function templateMarkdown(template: NotesTemplate): string {
  return template.map((section) => `${sectionHead(section)}\n`).join("\n");
}

/** Returns the two lines at the beginning of every section. */
export function sectionHead({ heading, about }: TemplateSection): string {
  return `# ${heading}\n_${about}_`;
}

type ReadTemplate =
  | { readonly kind: "template"; readonly template: NotesTemplate }
  | { readonly kind: "unusable"; readonly problem: string };

/**
 * Reads a custom template: headings of any level, and one line in italics below each. `problem` names the first invalid
 * line.
 */
export function readNotesTemplate(markdown: string): ReadTemplate {
  const unusable = (line: number, problem: string): ReadTemplate => ({
    kind: "unusable",
    problem: `line ${line + 1}: ${problem}`,
  });
  const sections: { heading: string; about: string | undefined }[] = [];
  const lines = markdown.split(/\r?\n/);
  for (const [at, text] of lines.entries()) {
    if (text.trim() === "") continue;
    const last = sections.at(-1);
    const heading = headingIn(text);
    if (heading !== undefined) {
      if (last !== undefined && last.about === undefined)
        return unusable(at, `"${last.heading}" has no line in italics that describes its content`);
      if (headingKey(heading) === "") return unusable(at, "a heading needs at least one word");
      if (sections.some((section) => headingKey(section.heading) === headingKey(heading)))
        return unusable(at, `"${heading}" occurs twice, but every section needs its own heading`);
      sections.push({ heading, about: undefined });
      continue;
    }
    if (last === undefined) return unusable(at, "text before the first heading belongs to no section");
    const about = italicIn(text);
    if (last.about !== undefined || about === undefined)
      return unusable(at, `"${last.heading}" can have only one line below it, in italics. A template has no content`);
    last.about = about;
  }
  const unfinished = sections.find(({ about }) => about === undefined);
  if (unfinished !== undefined)
    return unusable(lines.length - 1, `"${unfinished.heading}" has no line in italics that describes its content`);
  if (sections.length === 0) return { kind: "unusable", problem: "the template has no heading" };
  return { kind: "template", template: sections as readonly TemplateSection[] };
}

/** A longer line is no heading. */
const MAX_HEADING_CHARACTERS = 500;

/** Returns the text of a heading. Undefined if the line is not a heading. */
export function headingIn(line: string): string | undefined {
  if (line.length > MAX_HEADING_CHARACTERS) return undefined;
  return /^#{1,6}[ \t]+(.*?\S)(?:[ \t]+#+)?\s*$/.exec(line)?.[1];
}

/** Returns the text of a line in italics. Undefined if the line is not entirely in italics. */
export function italicIn(line: string): string | undefined {
  return /^([_*])(?![_*])(\S|\S.*\S)\1$/.exec(line.trim())?.[2];
}

const betweenWords = lazyPattern(String.raw`[^\p{L}\p{N}]+`, "gu");

/** Returns the words of a heading, which identify its section. */
export function headingKey(heading: string): string {
  return heading.toLowerCase().replaceAll("&", " and ").replace(betweenWords(), " ").trim();
}
