import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changeFrontmatter, readFrontmatter } from "./frontmatter.ts";
import type { TopicDraft } from "./topic.ts";
import { readTopicText, writeTopicText } from "./topic-text.ts";

const STAMP = { by: "model", nowMs: Date.UTC(2026, 10, 15, 9, 30) } as const;
const LATER = { by: "dream", nowMs: Date.UTC(2026, 10, 16) } as const;
const DRAFT: TopicDraft = {
  name: "Deploys go to Frankfurt",
  description: "The production region, and why",
  type: "project",
  body: "Production runs in eu-central-1.\n\nWhy: customers' contracts.\nHow to apply: name the region in every plan.",
  evidence: [{ session: "s-1", entry: 12, quote: 'we deploy to "Frankfurt": always' }],
};

const line = fc.oneof(
  fc.constantFrom("---", "", "name: x", "name: 'it''s'", 'description: "a\\tb" # c', "type: user", "evidence:"),
  fc.constantFrom(
    "  - one",
    '  - {"session":"s","entry":1,"quote":"q"}',
    "# comment",
    "tags: [a, b]",
    "  more",
    "name:",
  ),
  fc.string(),
);
const anyText = fc
  .record({
    mark: fc.constantFrom("", "\uFEFF"),
    ending: fc.constantFrom("\n", "\r\n"),
    dashes: fc.constantFrom([], ["---"]),
    ours: fc.constantFrom([], ["name: x", "description: 'y: z'", "type: user"]),
    head: fc.array(line, { maxLength: 8 }),
    below: fc.array(line, { maxLength: 4 }),
  })
  .map(
    ({ mark, ending, dashes, ours, head, below }) =>
      mark + [...dashes, ...ours, ...head, ...dashes, ...below].join(ending),
  );

const oneLiner = fc
  .array(fc.oneof(fc.integer({ min: 32, max: 126 }), fc.integer({ min: 0, max: 0x10_ff_ff })), { minLength: 1 })
  .map((points) => String.fromCodePoint(...points))
  .map((text) => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim())
  .filter((text) => text !== "" && text.isWellFormed());
const anyDraft = fc.record({
  name: oneLiner,
  description: oneLiner,
  type: fc.constantFrom("user" as const, "feedback" as const, "project" as const, "reference" as const),
  body: fc.array(oneLiner, { minLength: 1, maxLength: 5 }).map((lines) => lines.join("\n")),
  evidence: fc.array(fc.record({ session: oneLiner, entry: fc.nat(), quote: fc.string() }), { maxLength: 3 }),
});

describe("any file", () => {
  test("stays as it is to the byte where nothing is said anew", () => {
    let [heads, drafts] = [0, 0];
    fc.assert(
      fc.property(anyText, (text) => {
        const { name, description, type, body, evidence } = readTopicText(text, "some-slug");
        const { values, lists } = readFrontmatter(text);
        if (values.size > 0) heads++;
        const said = Object.fromEntries<string | readonly string[]>([...values, ...lists]);
        expect(changeFrontmatter(text, said, body)).toBe(text);
        const isWhole = values.get("name") === name && values.get("description") === description;
        if (isWhole && values.get("type") === type) {
          drafts++;
          expect(writeTopicText({ name, description, type, body }, text, STAMP)).toBe(text);
        }
        expect(evidence.length).toBeLessThanOrEqual(lists.get("evidence")?.length ?? 0);
      }),
      { numRuns: 2_000 },
    );
    expect(heads).toBeGreaterThan(400);
    expect(drafts).toBeGreaterThan(200);
  });

  test("tells after a change what the draft said, and still what others said in it", () => {
    fc.assert(
      fc.property(anyText, anyDraft, (text, draft) => {
        const written = writeTopicText(draft, text, STAMP);
        expect(readTopicText(written, "some-slug")).toMatchObject(draft);
        expect(writeTopicText(draft, written, LATER)).toBe(written);
        const known = new Set(["name", "description", "type", "evidence", "created", "updated", "author"]);
        const [before, after] = [readFrontmatter(text), readFrontmatter(written)];
        for (const [key, value] of before.values) if (!known.has(key)) expect(after.values.get(key)).toBe(value);
        for (const [key, value] of before.lists) if (!known.has(key)) expect(after.lists.get(key)).toEqual(value);
      }),
      { numRuns: 1_000 },
    );
  });
});

test("a new topic", () => {
  expect(writeTopicText(DRAFT, "", STAMP)).toMatchInlineSnapshot(`
    "---
    name: Deploys go to Frankfurt
    description: The production region, and why
    type: project
    created: 2026-11-15T09:30:00.000Z
    updated: 2026-11-15T09:30:00.000Z
    author: model
    evidence:
      - {"session":"s-1","entry":12,"quote":"we deploy to \\"Frankfurt\\": always"}
    ---

    Production runs in eu-central-1.

    Why: customers' contracts.
    How to apply: name the region in every plan.
    "
  `);
});

test("a change leaves alone what it is not about", () => {
  const over = [
    "---",
    "name:   'Deploys go to Frankfurt'  # ours",
    "tags:",
    "  - infra",
    "description: old",
    "type: project",
    "owner: dana",
    "created: 2026-01-02",
    "---",
    "",
    "Old.",
    "",
  ].join("\r\n");
  const written = writeTopicText({ ...DRAFT, evidence: [] }, over, LATER);
  expect(written.split("\r\n")).toEqual([
    "---",
    "name:   'Deploys go to Frankfurt'  # ours",
    "tags:",
    "  - infra",
    "description: The production region, and why",
    "type: project",
    "owner: dana",
    "created: 2026-01-02",
    "updated: 2026-11-16T00:00:00.000Z",
    "author: dream",
    "---",
    "",
    ...DRAFT.body.split("\n"),
    "",
  ]);
});

test.each([
  ["only text", "Ask before you push.", { name: "ask first", description: "Ask before you push." }],
  ["a heading", "# Pushing\n\n- Ask before.\n", { name: "Pushing", description: "Ask before." }],
  ["a head that never ends", "---\nname: x\n", { name: "ask first", description: "name: x" }],
  [
    "another head",
    "---\ntitle: Pushing\ntype: rule\n---\nAsk.",
    { name: "Pushing", description: "Ask.", type: "project" },
  ],
  [
    "a long value",
    "---\nname: >-\n  Ask\n  first\ndescription: a\n  b\n---\n",
    { name: "Ask first", description: "a b" },
  ],
  ["nothing", "", { name: "ask first", description: "", body: "" }],
])("by hand: %s", (_, text, expected) => {
  expect(readTopicText(text, "ask-first")).toMatchObject({ author: undefined, evidence: [], ...expected });
});

test("dates, authors and evidence are read where they are what they should be", () => {
  const head = [
    "created: 2026-01-02",
    "updated: soon",
    "author: someone",
    "evidence:",
    "  - not json",
    '  - {"entry":1}',
  ];
  expect(readTopicText(["---", ...head, "---", "x"].join("\n"), "s")).toMatchObject({
    createdAtMs: Date.UTC(2026, 0, 2),
    updatedAtMs: undefined,
    author: undefined,
    evidence: [],
  });
});
