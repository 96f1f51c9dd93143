import { posix } from "node:path";
import { headingAnchors, withoutFences } from "./heading-anchor.ts";

/** A markdown page of the repository. */
export interface MarkdownPage {
  /** From the repository's root. */
  readonly path: string;
  readonly markdown: string;
}

/** Links of pages to files, folders and headings of the repository that are not there, one line each. Addresses of the web are not asked. */
export function checkLinks(pages: readonly MarkdownPage[], exists: (path: string) => boolean): readonly string[] {
  const anchors = new Map(pages.map(({ path, markdown }) => [path, new Set(headingAnchors(markdown))]));
  return pages.flatMap(({ path, markdown }) =>
    linksOf(markdown).flatMap((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : posix.join(posix.dirname(path), decodeURIComponent(file));
      if (!exists(target)) return [`${path}: the link ${link} leads to ${target}, which is not there`];
      const known = anchors.get(target);
      if (anchor === undefined || known === undefined || known.has(anchor)) return [];
      return [`${path}: the link ${link} leads to a heading that ${target} does not have`];
    }),
  );
}

/** Targets of links and pictures within the repository, in order. */
export function linksOf(markdown: string): readonly string[] {
  const text = withoutFences(markdown).replace(/`[^`\n]*`/g, "");
  const inline = [...text.matchAll(/\]\(([^()\s]+)(?: "[^"]*")?\)/g)];
  const named = [...text.matchAll(/^\[[^\]]+\]: +(\S+)/gm)];
  return [...inline, ...named].map(([, target]) => target!).filter((target) => !/^[a-z]+:|^\/\//i.test(target));
}
