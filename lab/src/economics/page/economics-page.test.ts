import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The places that scripts/economics-tables.ts fills: without one of them the page cannot be written. */
const PLACES = [
  "sessions",
  "200K/0.1/5m",
  "1M/0.1/5m",
  "against plain compaction",
  "spread",
  "lifetimes",
  "agents",
  "held out",
  "all settings",
];

test("the page has a place for every table of the bench, once and in order", () => {
  const page = readFileSync(new URL("../../../../docs/economics.md", import.meta.url), "utf8");
  const found = Array.from(page.matchAll(/^<!-- (end of )?(.+) -->$/gm), ([, end, name]) => `${end ?? ""}${name}`);
  expect(found).toEqual(PLACES.flatMap((name) => [name, `end of ${name}`]));
});
