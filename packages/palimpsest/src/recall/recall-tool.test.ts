import { describe, expect, test } from "vitest";
import { type Recalled, readRecallInput, recalledText, recallOf, recallTool } from "./recall.ts";

test("its numbers are whole and begin at 1, its search is a text, and it takes nothing else", () => {
  const { type, properties, additionalProperties } = recallTool.inputSchema as Record<string, unknown>;
  expect([type, additionalProperties]).toEqual(["object", false]);
  const { search, ...numbers } = properties as Record<string, object>;
  expect(search).toMatchObject({ type: "string" });
  expect(Object.keys(numbers)).toEqual(["entry", "from_line", "from_character", "lines"]);
  for (const one of Object.values(numbers)) expect(one).toMatchObject({ type: "integer", minimum: 1 });
});

test("it is offered where the model has it", () => {
  expect(recallOf([{ name: "look" }, recallTool])).toBe("offered");
  expect(recallOf([{ name: "look" }])).toBe("missing");
});

test.each<[unknown, object]>([
  [
    { entry: 3, from_line: 2, from_character: 5, lines: 9, search: "x" },
    { entry: 3, fromLine: 2, fromCharacter: 5, lines: 9, search: "x" },
  ],
  [
    { entry: "3", from_line: " 2 ", lines: "" },
    { entry: 3, fromLine: 2 },
  ],
  [{ entry: "three", from_line: null, lines: Number.NaN, search: 7 }, {}],
  [{ search: "", other: 1 }, { search: "" }],
  [undefined, {}],
  [null, {}],
  ["3", {}],
])("what the model gives is read, and what cannot be read is left out: %j", (input, wanted) => {
  expect(readRecallInput(input)).toEqual(wanted);
});

describe("what was recalled", () => {
  const from = { line: 1, character: 1 };

  test.each<[string, Recalled, string]>([
    ["the end", { kind: "text", entry: 3, text: "All of it.", from }, "All of it."],
    [
      "more lines",
      { kind: "text", entry: 3, text: "One.\n", from, next: { line: 2, character: 1 } },
      "One.\n[There is more: recall entry 3 with from_line 2.]",
    ],
    [
      "more of a line",
      { kind: "text", entry: 3, text: "On", from, next: { line: 1, character: 3 } },
      "On\n[There is more: recall entry 3 with from_line 1, from_character 3.]",
    ],
    [
      "behind the end",
      { kind: "text", entry: 3, text: "", from: { line: 9, character: 1 } },
      "Entry 3 has nothing at line 9.",
    ],
    [
      "behind the end of a line",
      { kind: "text", entry: 3, text: "", from: { line: 9, character: 4 } },
      "Entry 3 has nothing at line 9, character 4.",
    ],
    [
      "lines",
      {
        kind: "lines",
        entry: 3,
        found: [
          { line: 2, character: 1, text: "a" },
          { line: 5, character: 8, text: "b" },
        ],
        nextLine: 6,
      },
      "2: a\n5:8: b\n[There is more: recall entry 3 with from_line 6.]",
    ],
    ["no lines", { kind: "lines", entry: 3, found: [] }, "Entry 3 does not contain that text."],
    ["entries", { kind: "entries", hits: [{ sequence: 4, snippet: "a tree" }], unsearched: [] }, "entry 4: a tree"],
  ])("is shown with its place and how to go on: %s", (_, recalled, wanted) => {
    expect(recalledText(recalled)).toBe(wanted);
  });

  test.each<[Recalled, RegExp]>([
    [{ kind: "unknown", entry: 9, newestEntry: 4 }, /no entry 9.*newest is 4/],
    [{ kind: "no-text", entry: 3, entryKind: "usage" }, /Entry 3.*usage/],
    [{ kind: "erased", entry: 3 }, /Entry 3 was erased/],
    [{ kind: "expired", entry: 3, file: "a", bytes: 7 }, /entry 3 has expired.*7 bytes/],
    [{ kind: "changed", entry: 3, file: "a", bytes: 7, nowBytes: 8 }, /entry 3 has been changed.*7 bytes.*8/],
    [{ kind: "nothing-asked" }, /Give an entry number/],
    [{ kind: "entries", hits: [], unsearched: [] }, /No entry/],
  ])("or why there is nothing: %j", (recalled, wanted) => {
    expect(recalledText(recalled)).toMatch(wanted);
  });

  test("entries that could not be searched are named by cause, the rest of many as a number", () => {
    const large = Array.from({ length: 53 }, (_, index) => ({ entry: 100 - index, why: "too-much" }) as const);
    const unsearched = [{ entry: 7, why: "expired" } as const, ...large];
    const lines = recalledText({ kind: "entries", hits: [], unsearched }).split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^\[Too large.*: 100, 99, .*, 51, and 3 older ones\]$/);
    expect(lines[2]).toMatch(/expired: 7\]$/);
    const exactly = recalledText({ kind: "entries", hits: [], unsearched: large.slice(0, 50) });
    expect(exactly).toMatch(/, 51\]$/);
  });

  test("half a character is never shown", () => {
    expect(recalledText({ kind: "text", entry: 3, text: "\ud83d", from }).isWellFormed()).toBe(true);
  });
});
