import { headingKey, italicIn, type NotesTemplate, sectionHead, type TemplateSection } from "./template.ts";

/** What is known about a session: the sections of the template, in its order, each with its content. */
export interface Notes {
  readonly sections: readonly NotesSection[];
}

export interface NotesSection extends TemplateSection {
  /** Empty if nothing is known yet. Without blank lines at either end. */
  readonly content: string;
}

export function emptyNotes(template: NotesTemplate): Notes {
  return { sections: template.map((section) => ({ ...section, content: "" })) };
}

/** Still the template, with nothing in it. */
export function isBare({ sections }: Notes): boolean {
  return sections.every(({ content }) => content === "");
}

export function notesMarkdown({ sections }: Notes): string {
  const keys = keysOf(sections);
  return sections
    .map((section) => {
      const content = section.content === "" ? "" : `\n${escapeHeadings(section.content, keys)}\n`;
      return `${sectionHead(section)}\n${content}`;
    })
    .join("\n");
}

/**
 * Notes as they were written. The template says what is structure: what stands under a heading that it does not have
 * (it was another one then) stays as content of the section before, so nothing is lost.
 */
export function parseNotes(markdown: string, template: NotesTemplate): Notes {
  const keys = keysOf(template);
  const contents = new Map<string, string[]>();
  let current: string[] = [];
  // Before the first heading: content of the first section.
  contents.set(headingKey(template[0]?.heading ?? ""), current);
  let isBehindHeading = false;
  for (const line of markdown.split(/\r?\n/)) {
    const key = structureKey(line, keys);
    if (key !== undefined) {
      current = contents.get(key) ?? [];
      contents.set(key, current);
      isBehindHeading = true;
      continue;
    }
    if (!(isBehindHeading && italicIn(line) !== undefined)) current.push(unescapeHeading(line, keys));
    isBehindHeading = false;
  }
  return {
    sections: template.map((section) => ({
      ...section,
      content: tidy((contents.get(headingKey(section.heading)) ?? []).join("\n")),
    })),
  };
}

/** As content is kept: line ends of one sort, no blank lines at either end, no half characters. */
export function tidy(content: string): string {
  return content
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd();
}

function keysOf(sections: readonly TemplateSection[]): ReadonlySet<string> {
  return new Set(sections.map(({ heading }) => headingKey(heading)));
}

/** Which section begins here, if one does. */
function structureKey(line: string, keys: ReadonlySet<string>): string | undefined {
  const key = /^#{1,6}[ \t]/.test(line) ? headingKey(line) : undefined;
  return key !== undefined && keys.has(key) ? key : undefined;
}

const ESCAPED = /^\\+(?=#{1,6}[ \t])/;

/** A line of the content that reads like a heading of the template (a comment in a script, say) is marked with a backslash. */
function escapeHeadings(content: string, keys: ReadonlySet<string>): string {
  return content
    .split("\n")
    .map((line) => (structureKey(line.replace(ESCAPED, ""), keys) === undefined ? line : `\\${line}`))
    .join("\n");
}

function unescapeHeading(line: string, keys: ReadonlySet<string>): string {
  return ESCAPED.test(line) && structureKey(line.replace(ESCAPED, ""), keys) !== undefined ? line.slice(1) : line;
}
