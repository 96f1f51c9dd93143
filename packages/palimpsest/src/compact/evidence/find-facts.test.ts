import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../../../../test/processor-ms.ts";
import { findFacts } from "./find.ts";

const found = (text: string) => findFacts(text).map(({ text: fact, sort }) => `${sort} ${fact}`);

test.each([
  ["see src/http/parse.ts:12:5: undefined", ["path src/http/parse.ts"]],
  ["/home/me/x and /compact and ./run.sh, package.json", ["path /home/me/x", "path ./run.sh", "path package.json"]],
  ["read/write and/or strings.Builder s/store\\.Load/x > /dev/null", []],
  ["C:\\work\\site\\index.html", ["path C:\\work\\site\\index.html"]],
  ["https://example.org/a?b=1.", ["url https://example.org/a?b=1"]],
  [
    "call parseHeader() or foo.parse_all_of_it, MAX_RETRY_COUNT=3",
    ["identifier parseHeader", "identifier parse_all_of_it", "identifier MAX_RETRY_COUNT"],
  ],
  [
    "+src/http/parse.ts --dry_run_all -größen_tabelle",
    ["path src/http/parse.ts", "identifier dry_run_all", "identifier größen_tabelle"],
  ],
  ["max_row and max_rows, short names are common", ["identifier max_rows"]],
  ["ordinary words, implementation, documentation", []],
  ["1,284 rows, 12,5 and 1,284,006.5", ["number 1,284", "number 1,284,006.5"]],
  ["PAY-4821 and A-1", ["identifier PAY-4821"]],
  ["feature-branch-name", ["identifier feature-branch-name"]],
  ["commit 9f8e7d6 and id 3fa85f64-5717-4562", ["identifier 9f8e7d6", "identifier 3fa85f64-5717-4562"]],
  [
    "took 4217 ms, 12.5%, port 48231, 3 files, 250ms, v1.2.3",
    ["number 4217 ms", "number 12.5%", "number 48231", "number 250ms", "number v1.2.3"],
  ],
])("in %j", (text, facts) => {
  expect(found(text)).toEqual(facts);
});

test("a number is told with the words before it on its line", () => {
  expect(findFacts("first line\nThe server listens on port 48231, retry after 4217 ms.")).toEqual([
    { text: "4217 ms", sort: "number", near: "on port 48231, retry after" },
    { text: "48231", sort: "number", near: "The server listens on port" },
  ]);
});

test("what is found stands in the text, once, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const facts = findFacts(text).map((fact) => fact.text);
      expect(new Set(facts).size).toBe(facts.length);
      for (const fact of facts) expect(text).toContain(fact);
    }),
  );
});

test("finds facts in lists of numbers in time that grows with their length", async () => {
  const usedMs = await processorMs(() => findFacts("1,".repeat(20_000), "ends"));
  expect(usedMs).toBeLessThan(1_500);
});
