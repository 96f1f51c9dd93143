import { expect, test } from "vitest";
import { checkLinks, linksOf } from "./check-links.ts";
import { headingAnchors } from "./heading-anchor.ts";

const check = (markdown: string): readonly string[] =>
  checkLinks(
    [
      { path: "docs/a.md", markdown },
      { path: "docs/guides/b.md", markdown: "# B\n\n## What it does, and why\n" },
    ],
    (path) => ["docs/a.md", "docs/guides/b.md", "docs/guides", "examples/one.ts"].includes(path),
  );

test.each([
  "[b](guides/b.md)",
  "[b](guides/b.md#what-it-does-and-why)",
  "[folder](guides) and [file](../examples/one.ts)",
  "## Here\n[above](#here)",
  "[the web](https://example.com/gone) and `[code](gone.md)`",
  "```\n[fenced](gone.md)\n```",
])("a link that leads somewhere: %s", (markdown) => {
  expect(check(markdown)).toEqual([]);
});

test.each([
  ["[b](guide/b.md)", "docs/guide/b.md, which is not there"],
  ["![picture](gone.png)", "docs/gone.png, which is not there"],
  ["[b](guides/b.md#what)", "a heading that docs/guides/b.md does not have"],
  ["```\n## Fenced\n```\n[above](#fenced)", "a heading that docs/a.md does not have"],
  ["[name]: gone.md", "docs/gone.md, which is not there"],
])("a dead link: %s", (markdown, problem) => {
  expect(check(markdown)).toEqual([expect.stringContaining(problem)]);
});

test("anchors are those of GitHub", () => {
  const page = "# `palimpsest` -p: one [turn](turn.md)\n## Errors\n## Errors\n## snake_case & more\n";
  expect(headingAnchors(page)).toEqual(["palimpsest--p-one-turn", "errors", "errors-1", "snake_case--more"]);
});

test("links behind each other in one line are all read", () => {
  expect(linksOf('[a](a.md), [b](b.md "title"), ![c](c.png)')).toEqual(["a.md", "b.md", "c.png"]);
});
