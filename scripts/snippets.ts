export interface Snippet {
  readonly file: string;
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
  readonly code: string;
}

/** The TypeScript blocks of a markdown page. A block that cannot run by itself is fenced as `ts no-run`. */
export function findSnippets(file: string, markdown: string): Snippet[] {
  const snippets: Snippet[] = [];
  let open: { line: number; code: string[] } | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    if (open !== undefined && line.trim() === "```") {
      snippets.push({ file, line: open.line, code: open.code.join("\n") });
      open = undefined;
    } else if (open !== undefined) {
      open.code.push(line);
    } else if (/^```(ts|typescript)\s*$/.test(line)) {
      open = { line: index + 1, code: [] };
    }
  }
  return snippets;
}
