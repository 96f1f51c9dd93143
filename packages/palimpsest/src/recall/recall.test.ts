import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { sealEntries, toDraft } from "../log/entry.ts";
import type { MessagePayload, Payloads } from "../log/payload.ts";
import { storeMessage } from "../store-results/store.ts";
import { memoryResults, memoryStore } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import type { LogWriter, ResultFiles } from "../stores/store.ts";
import {
  type Recalled,
  type RecallRequest,
  readRecallInput,
  recall,
  recalledText,
  recallOf,
  recallTool,
} from "./recall.ts";

let log: LogWriter;
let files: ResultFiles;

beforeEach(async () => {
  const opened = await memoryStore().openWriter("s", { owner: "test" });
  if (opened.kind === "busy") throw new Error("a new log is busy");
  log = opened.writer;
  files = memoryResults();
});

async function append<Kind extends keyof Payloads>(kind: Kind, payload: Payloads[Kind]): Promise<number> {
  const head = await log.head();
  await log.append(sealEntries([toDraft(kind, payload)], { head, atMs: 0, digest: sha256 }));
  return head.sequence + 1;
}

async function appendStored(content: string): Promise<{ entry: number; payload: MessagePayload }> {
  const blocks = [{ kind: "tool_result", callId: "1", content, status: "ok" }] as const;
  const entry = (await log.head()).sequence + 1;
  const { payload } = await storeMessage({ role: "user", origin: "tool", blocks }, { files, session: "s", entry });
  await append("message", payload);
  return { entry, payload };
}

const said = (text: string): Promise<number> =>
  append("message", { role: "user", origin: "human", blocks: [{ kind: "text", text }] });
const ask = (request: RecallRequest, maxCharacters = 10_000): Promise<Recalled> =>
  recall(request, { log, files, session: "s", maxCharacters });

/** All of an entry, one answer after the other. */
async function readAll(entry: number, maxCharacters: number): Promise<string> {
  let all = "";
  for (let request: RecallRequest | undefined = { entry }; request !== undefined; ) {
    const recalled: Recalled = await ask(request, maxCharacters);
    if (recalled.kind !== "text") throw new Error(`it answered ${recalled.kind}`);
    all += recalled.text;
    const { next } = recalled;
    request = next && { entry, fromLine: next.line, fromCharacter: next.character };
  }
  return all;
}

describe("recall", () => {
  test("returns any stored text unchanged", async () => {
    const unit = fc.constantFrom("a", "ü", "😀", "\n", "\r\n", "</persisted-output>", "\0", "\ufeff");
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, minLength: 20, maxLength: 40 }), async (part) => {
        const text = part.repeat(Math.ceil(51_000 / part.length));
        const { entry, payload } = await appendStored(text);
        expect(payload.stored).toBeDefined();
        expect(await readAll(entry, 20_000)).toBe(text);
      }),
      { numRuns: 15 },
    );
  });

  test("returns the content in the log, whatever the view shows", async () => {
    const entry = await said("first\nsecond\nthird");
    await append("replace", { from: entry, to: entry, with: [], reason: "cleared" });
    expect(await ask({ entry, fromLine: 2, lines: 1 })).toEqual({
      kind: "text",
      entry,
      text: "second\n",
      from: { line: 2, character: 1 },
      next: { line: 3, character: 1 },
    });
    expect(await readAll(entry, 3)).toBe("first\nsecond\nthird");
  });

  test("searches stored content, even far from its ends", async () => {
    const lines = Array.from({ length: 9_000 }, (_, index) => `line ${index + 1}${index === 4_321 ? " Needle" : ""}`);
    const { entry } = await appendStored(lines.join("\n"));
    expect(await ask({ entry, search: "needle" })).toEqual({
      kind: "lines",
      entry,
      found: [{ line: 4_322, character: 11, text: "line 4322 Needle" }],
    });
  });

  test("searches all entries by words", async () => {
    const entry = await said("the port is 8080");
    await said("nothing");
    expect(await ask({ search: "port 8080" })).toEqual({
      kind: "entries",
      hits: [{ sequence: entry, snippet: "the port is 8080" }],
      unsearched: [],
    });
  });

  test("searches stored content with the log, up to a limit", async () => {
    const lines = Array.from(
      { length: 9_000 },
      (_, index) => `line ${index + 1}${index === 4_321 ? " odd needle" : ""}`,
    );
    const { entry: stored } = await appendStored(lines.join("\n"));
    const entry = await said("a needle, and an odd one");
    const { entry: huge } = await appendStored("x".repeat(34_000_000));
    expect(await ask({ search: "needle odd" })).toEqual({
      kind: "entries",
      hits: [
        { sequence: entry, snippet: "a needle, and an odd one" },
        { sequence: stored, snippet: "line 4322: line 4322 odd needle" },
      ],
      unsearched: [{ entry: huge, why: "too-much" }],
    });
    expect(recalledText(await ask({ search: "absent" }))).toBe(
      `No entry of this session has all of these words.\n[Too large to be searched here; search in them: ${huge}]`,
    );
  });

  test("searches any number of stored contents, and names those that it cannot read", async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `a line of output, number ${index}`);
    const { entry: oldest } = await appendStored([...lines, "the odd needle", ...lines].join("\n"));
    const { entry: gone, payload } = await appendStored([...lines, "another needle", ...lines].join("\n"));
    for (let count = 0; count < 150; count++) await appendStored([count, ...lines, ...lines].join("\n"));
    const found = files.find.bind(files);
    files = {
      ...files,
      find: async (session, name) => (name === payload.stored?.file ? undefined : found(session, name)),
    };
    const recalled = await ask({ search: "needle" });
    expect(recalled).toMatchObject({ hits: [{ sequence: oldest }], unsearched: [{ entry: gone, why: "expired" }] });
    expect(recalledText(recalled)).toMatch(`[Not searched, because their files have expired: ${gone}]`);
    files = { ...files, find: () => Promise.reject(new Error("the disk fails")) };
    expect(recalledText(await ask({ search: "needle" }))).toMatch(
      /could not be read: \d+(, \d+){49}, and 102 older ones/,
    );
  });

  test("explains which content it cannot return, and why", async () => {
    const request = await append("request", { maxTokens: 1, estimatedTokens: 1 });
    const erased = await said("secret");
    await log.erase(erased);
    const { entry: gone } = await appendStored("x".repeat(60_000));
    expect(await recall({ entry: gone }, { log, files: memoryResults(), session: "s" })).toMatchObject({
      kind: "expired",
      bytes: 60_000,
    });
    expect(await recall({ entry: gone }, { log, session: "s" })).toMatchObject({ kind: "expired" });
    const shorter = { find: async () => ({ bytes: 3, chunks: async function* () {} }) };
    expect(await recall({ entry: gone }, { log, files: { ...files, ...shorter }, session: "s" })).toMatchObject({
      kind: "changed",
      nowBytes: 3,
    });
    expect(await ask({ entry: request })).toEqual({ kind: "no-text", entry: request, entryKind: "request" });
    expect(await ask({ entry: erased })).toEqual({ kind: "erased", entry: erased });
    for (const entry of [0, -1, 99, 1.5, Number.NaN])
      expect(await ask({ entry })).toMatchObject({ kind: "unknown", newestEntry: 3 });
    expect(await ask({ search: " " })).toEqual({ kind: "nothing-asked" });
    expect(await ask({})).toEqual({ kind: "nothing-asked" });
  });
});

describe("recallTool", () => {
  test("accepts any input of a model", () => {
    expect(readRecallInput({ entry: 3, from_line: "7", lines: null, search: "x" })).toEqual({
      entry: 3,
      fromLine: 7,
      search: "x",
    });
    fc.assert(fc.property(fc.jsonValue(), (input) => void readRecallInput(input)));
    expect(Object.keys(recallTool.inputSchema["properties"] as object)).toEqual([
      "entry",
      "from_line",
      "from_character",
      "lines",
      "search",
    ]);
  });

  test("answers in words that say how to continue", async () => {
    const entry = await said(`one\ntwo\n${"x".repeat(99)}`);
    const answer = async (input: unknown, maxCharacters?: number) =>
      recalledText(await ask(readRecallInput(input), maxCharacters));
    expect(await answer({ entry, lines: 1 })).toBe("one\n[There is more: recall entry 1 with from_line 2.]");
    expect(await answer({ entry, from_line: 3 }, 9)).toBe(
      "xxxxxxxxx\n[There is more: recall entry 1 with from_line 3, from_character 10.]",
    );
    expect(await answer({ entry, from_line: 50 })).toBe("Entry 1 has nothing at line 50.");
    expect(await answer({ entry, search: "TWO" })).toBe("2: two");
    expect(await answer({ entry, search: "three" })).toBe("Entry 1 does not contain that text.");
    expect(await answer({ entry: 9 })).toBe("There is no entry 9. The newest is 1.");
    expect(await answer({ search: "two" })).toMatch(/^entry 1: one two x+/);
    expect(await answer({ search: "absent" })).toBe("No entry of this session has all of these words.");
    expect(await answer("nonsense")).toBe("Give an entry number, or words to search for.");
  });
});

test("recallTool has a schema with whole numbers from 1, a search text, and no other fields", () => {
  const { type, properties, additionalProperties } = recallTool.inputSchema as Record<string, unknown>;
  expect([type, additionalProperties]).toEqual(["object", false]);
  const { search, ...numbers } = properties as Record<string, object>;
  expect(search).toMatchObject({ type: "string" });
  expect(Object.keys(numbers)).toEqual(["entry", "from_line", "from_character", "lines"]);
  for (const one of Object.values(numbers)) expect(one).toMatchObject({ type: "integer", minimum: 1 });
});

test("recallOf offers recall if the model has the tool", () => {
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
])("readRecallInput leaves out invalid fields: %j", (input, wanted) => {
  expect(readRecallInput(input)).toEqual(wanted);
});

describe("recalledText", () => {
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
      "after the end",
      { kind: "text", entry: 3, text: "", from: { line: 9, character: 1 } },
      "Entry 3 has nothing at line 9.",
    ],
    [
      "after the end of a line",
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
  ])("shows the content, its place, and how to continue: %s", (_, recalled, wanted) => {
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
  ])("shows why there is no content: %j", (recalled, wanted) => {
    expect(recalledText(recalled)).toMatch(wanted);
  });

  test("names unsearched entries by cause, and counts the rest of a long list", () => {
    const large = Array.from({ length: 53 }, (_, index) => ({ entry: 100 - index, why: "too-much" }) as const);
    const unsearched = [{ entry: 7, why: "expired" } as const, ...large];
    const lines = recalledText({ kind: "entries", hits: [], unsearched }).split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^\[Too large.*: 100, 99, .*, 51, and 3 older ones\]$/);
    expect(lines[2]).toMatch(/expired: 7\]$/);
    const exactly = recalledText({ kind: "entries", hits: [], unsearched: large.slice(0, 50) });
    expect(exactly).toMatch(/, 51\]$/);
  });

  test("never shows half a character", () => {
    expect(recalledText({ kind: "text", entry: 3, text: "\ud83d", from }).isWellFormed()).toBe(true);
  });
});
