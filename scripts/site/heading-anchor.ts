/**
 * The anchors of a page's headings, as GitHub makes them: the site uses the same ones, so that a link works in both. Lines inside
 * fenced blocks are no headings. A heading that occurs again gets a number.
 */
export function headingAnchors(markdown: string): readonly string[] {
  const seen = new Map<string, number>();
  return headingsOf(markdown).map((heading) => {
    const anchor = headingAnchor(heading);
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
}

/** One heading's anchor: lower case, spaces as hyphens, without punctuation and the marks of code and links. */
export function headingAnchor(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

/** The page without its fenced blocks: neither headings nor links are read there. */
export function withoutFences(markdown: string): string {
  let open: string | undefined;
  return markdown
    .split("\n")
    .map((line) => {
      const fence = /^\s*(```+|~~~+)/.exec(line)?.[1];
      if (fence !== undefined && open === undefined) open = fence;
      else if (fence !== undefined && line.trim() === open) open = undefined;
      else if (open === undefined) return line;
      return "";
    })
    .join("\n");
}

function headingsOf(markdown: string): readonly string[] {
  return [...withoutFences(markdown).matchAll(/^#{1,6} +(.+?)\s*#*$/gm)].map(([, heading]) => heading!);
}
