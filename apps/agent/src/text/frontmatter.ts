/** A Markdown file with fields at its top, between two lines of `---`. */
interface Frontmatter {
  /** The value of a field, without quotes; undefined if it is missing. */
  field(name: string): string | undefined;
  /** The text after the fields. */
  readonly body: string;
}

const FRONTMATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/;

/** Reads Markdown frontmatter with one-line fields. A file without fields has only a body. */
export function readFrontmatter(text: string): Frontmatter {
  const head = FRONTMATTER.exec(text)?.[1] ?? "";
  return {
    field: (name) =>
      new RegExp(`^${name}:[ \\t]*(.*)$`, "m")
        .exec(head)?.[1]
        ?.trim()
        .replace(/^(["'])(.*)\1$/, "$2"),
    body: text.replace(FRONTMATTER, "").trim(),
  };
}
