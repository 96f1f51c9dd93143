import { expect, test } from "vitest";
import { sidebarOf } from "./sidebar.ts";
import { pageOf, REPOSITORY, sitePage } from "./site-pages.ts";

test.each([
  ["docs/guides/permissions.md", "guides/permissions.md"],
  ["adapters/ai-sdk/README.md", "adapters/ai-sdk.md"],
  ["CHANGELOG.md", "changelog.md"],
  ["adapters/ai-sdk/api.md", undefined],
  ["examples/01-count-a-conversation.ts", undefined],
])("%s becomes the page %s", (path, page) => {
  expect(pageOf(path)).toBe(page);
});

test.each([
  ["[a](../glossary.md#words)", "[a](../glossary.md#words)"],
  ["[a](permissions.md)", "[a](./permissions.md)"],
  ["[a](../../adapters/ai-sdk/README.md)", "[a](../adapters/ai-sdk.md)"],
  ["![a](../pictures/a.png)", "![a](../pictures/a.png)"],
  ["[a](../../examples/22.ts)", `[a](${REPOSITORY}/blob/main/examples/22.ts)`],
  ["[a](../../examples)", `[a](${REPOSITORY}/tree/main/examples)`],
  ["[a](#here), [b](https://example.com/x)", "[a](#here), [b](https://example.com/x)"],
  ["`[a](../../examples)`", "`[a](../../examples)`"],
  ["```\n[a](../../examples)\n```", "```\n[a](../../examples)\n```"],
])("in a guide, %s becomes %s", (link, moved) => {
  expect(sitePage("docs/guides/a.md", link, (path) => path === "examples")).toBe(moved);
});

test("the sidebar has every page once, first the pages that lead a group", () => {
  const pages = ["cli.md", "concepts/view.md", "concepts/log.md", "index.md", "guides/b.md", "api/palimpsest.md"];
  const groups = sidebarOf(pages.map((page) => ({ page, title: page })));
  expect(groups.map(({ text, items }) => [text, ...items.map(({ link }) => link)])).toEqual([
    ["Start", "/"],
    ["Concepts", "/concepts/log", "/concepts/view"],
    ["Guides", "/guides/b"],
    ["Reference", "/cli"],
    ["API", "/api/palimpsest"],
  ]);
  expect(() => sidebarOf([{ page: "elsewhere/a.md", title: "A" }])).toThrow("elsewhere/a.md");
});
