/** A page of the site: its path, such as `guides/permissions.md`, and its first heading. */
export interface TitledPage {
  readonly page: string;
  readonly title: string;
}

export interface SidebarGroup {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** Groups of the sidebar. A page belongs to the first group that takes it; the pages of `first` lead their group, in that order. */
const GROUPS: readonly { readonly text: string; readonly takes: RegExp; readonly first?: readonly string[] }[] = [
  {
    text: "Start",
    takes: /^(index|start|guides\/your-first-agent|guides\/turns-in-steps|adapters)\.md$/,
    first: ["index.md", "start.md"],
  },
  {
    text: "Concepts",
    takes: /^(concepts\/.+|glossary)\.md$/,
    first: ["log", "view", "compaction", "cache", "memory", "provenance"].map((name) => `concepts/${name}.md`),
  },
  { text: "Recipes", takes: /^recipes\// },
  { text: "Guides", takes: /^guides\// },
  {
    text: "Reference",
    takes: /^(?!contributing|code-of-conduct|security-policy|architecture|dependencies)[^/]+$/,
    first: ["reference", "defaults", "cli", "errors", "benchmarks", "security"].map((name) => `${name}.md`),
  },
  { text: "Packages", takes: /^packages\// },
  { text: "Adapters", takes: /^adapters\// },
  { text: "API", takes: /^api\//, first: ["api/index.md", "api/palimpsest.md"] },
  { text: "Decisions", takes: /^decisions\// },
  { text: "Contribute", takes: /^contribute\/|^[^/]+$/, first: ["contributing.md"] },
];

/** Long groups that few read from end to end. */
const COLLAPSED = ["Packages", "Adapters", "API", "Decisions"];

/** The sidebar with every page in it, exactly once. */
export function sidebarOf(pages: readonly TitledPage[]): readonly SidebarGroup[] {
  const left = new Set(pages);
  const groups = GROUPS.map(({ text, takes, first = [] }) => {
    const taken = [...left].filter(({ page }) => takes.test(page));
    for (const page of taken) left.delete(page);
    const place = ({ page }: TitledPage): number => (first.includes(page) ? first.indexOf(page) : first.length);
    taken.sort((a, b) => place(a) - place(b) || a.title.localeCompare(b.title, "en"));
    const items = taken.map(({ page, title }) => ({ text: title, link: `/${page.replace(/(index)?\.md$/, "")}` }));
    return { text, items, ...(COLLAPSED.includes(text) && { collapsed: true }) };
  });
  if (left.size > 0) throw new Error(`No group of the sidebar takes ${[...left].map(({ page }) => page).join(", ")}.`);
  return groups.filter(({ items }) => items.length > 0);
}
