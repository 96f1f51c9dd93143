import { posix } from "node:path";

/** Where the sources are, for links to files that are no pages of the site. */
export const REPOSITORY = "https://github.com/palimpsest-dev/palimpsest";

const SINGLE_PAGES: Readonly<Record<string, string>> = {
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "contributing.md",
  "CODE_OF_CONDUCT.md": "code-of-conduct.md",
  "SECURITY.md": "security-policy.md",
  "apps/agent/README.md": "packages/agent.md",
  "apps/create-palimpsest/README.md": "packages/create-palimpsest.md",
};

/** The page of the site that a file of the repository becomes, such as `guides/permissions.md`; `undefined` if it is no page. */
export function pageOf(path: string): string | undefined {
  const single = SINGLE_PAGES[path];
  if (single !== undefined) return single;
  const readme = /^(packages|adapters)\/([\w-]+)\/README\.md$/.exec(path);
  if (readme !== null) return `${readme[1]}/${readme[2]}.md`;
  return /^docs\/.+\.md$/.test(path) ? path.slice("docs/".length) : undefined;
}

/**
 * A page as the site shows it: links to other pages lead to their place in the site, and links to sources to the repository. Pictures of
 * docs/pictures stay with the site.
 */
export function sitePage(path: string, markdown: string, isFolder: (path: string) => boolean): string {
  const page = pageOf(path)!;
  const move = (link: string): string => {
    const [file = "", anchor] = link.split("#");
    if (file === "" || /^[a-z]+:/i.test(file)) return link;
    const target = posix.join(posix.dirname(path), file);
    const behind = anchor === undefined ? "" : `#${anchor}`;
    const moved = target.startsWith("docs/pictures/") ? target.slice("docs/".length) : pageOf(target);
    if (moved === undefined) return `${REPOSITORY}/${isFolder(target) ? "tree" : "blob"}/main/${target}${behind}`;
    const relative = posix.relative(posix.dirname(page), moved);
    return `${relative.startsWith(".") ? relative : `./${relative}`}${behind}`;
  };
  return outsideCode(markdown, (text) => text.replace(/(\]\()([^()\s]+)/g, (_, before, link) => before + move(link)));
}

/** Changes a page's text, but not its code: fenced blocks, indented blocks and what stands between backquotes. */
function outsideCode(markdown: string, change: (text: string) => string): string {
  let fenced = false;
  return markdown
    .split("\n")
    .map((line) => {
      if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
      else if (!fenced && !/^ {4}/.test(line))
        return line
          .split(/(`[^`]*`)/)
          .map(changeText)
          .join("");
      return line;
    })
    .join("\n");

  function changeText(part: string): string {
    return part.startsWith("`") ? part : change(part);
  }
}
