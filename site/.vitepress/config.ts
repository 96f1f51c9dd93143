import { readFileSync } from "node:fs";
import { headingAnchor } from "../../scripts/site/heading-anchor.ts";
import { REPOSITORY } from "../../scripts/site/site-pages.ts";

/** What VitePress hands to `renderForSearch`: its renderer, which it shares with the pages. */
interface Renderer {
  readonly options: { highlight?: unknown };
  render(markdown: string, environment: object): string;
}

/** A page as text to be searched. Without colors for its code, which take half of the time of the build and are thrown away. */
function renderForSearch(markdown: string, environment: object, renderer: Renderer): string {
  const { highlight } = renderer.options;
  renderer.options.highlight = null;
  try {
    return renderer.render(markdown, environment);
  } finally {
    renderer.options.highlight = highlight;
  }
}

/** The site over `site/pages`, which `npm run site` writes from docs/ and from the doc comments. */
export default {
  title: "Palimpsest",
  description: "Keeps long-running LLM agents inside their context window.",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: "../node_modules/.vitepress",
  cleanUrls: false,
  // A link to a page that is not there fails the build.
  ignoreDeadLinks: false,
  markdown: {
    // Pages are text: what looks like a tag is shown as it is written.
    html: false,
    // The same anchors as on GitHub: links of the repository work in both.
    anchor: { slugify: headingAnchor },
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
  },
  themeConfig: {
    // The index is a file of the site: searching needs no service.
    search: { provider: "local", options: { _render: renderForSearch } },
    outline: { level: [2, 3] },
    sidebar: JSON.parse(readFileSync(new URL("../pages/sidebar.json", import.meta.url), "utf8")),
    socialLinks: [{ icon: "github", link: REPOSITORY }],
  },
};
