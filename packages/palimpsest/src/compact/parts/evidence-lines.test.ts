import { expect, test } from "vitest";
import type { CommandEvidence, ErrorEvidence, Evidence, FileEvidence, StoredFact } from "../evidence/state.ts";
import { type EvidenceLine, evidenceLines } from "./record.ts";

const ROUND = 100;
const NOTHING: Evidence = {
  ...{ version: 1, newest: 0, round: ROUND, files: [], commands: [], errors: [], rules: [], facts: [] },
  ...{ lines: [], open: [] },
};

const linesOf = (more: Partial<Evidence>, shown = "", budgetTokens = 1_000): readonly EvidenceLine[] =>
  evidenceLines({ ...NOTHING, ...more }, shown, budgetTokens);
const textsOf = (more: Partial<Evidence>, shown = "", budgetTokens = 1_000): readonly string[] =>
  linesOf(more, shown, budgetTokens).map((line) => (line.group === "paths" ? line.path + line.text : line.text));

const command = (text: string, more: Partial<CommandEvidence> = {}): CommandEvidence => ({
  ...{ command: text, runs: 1, mentions: 0, entry: 5, state: "ok", exitCode: 0, round: ROUND, weight: 1 },
  ...more,
});
const error = (text: string, more: Partial<ErrorEvidence> = {}): ErrorEvidence => ({
  ...{ text, entry: 5, times: 1, state: "open", round: ROUND },
  ...more,
});
const file = (path: string, more: Partial<FileEvidence> = {}): FileEvidence => ({
  ...{ path, reads: 0, edits: 0, ranges: [], round: ROUND, weight: 1 },
  ...more,
});
const fact = (text: string, uses = 0, sort: StoredFact[1] = "identifier"): StoredFact => [
  text,
  sort,
  "tool",
  7,
  uses,
  ROUND,
  1,
];

test("a file is told with its newest edit, its newest read and the last two ranges of lines", () => {
  const ranges = [
    [1, 2],
    [30, 40],
    [70, 80],
  ] as const;
  expect(textsOf({ files: [file("/a/b.ts", { editEntry: 6, readEntry: 4, ranges })] })).toEqual([
    "/a/b.ts edited #6 read 30-40,70-80 #4",
  ]);
});

function omitExit({ exitCode: _, ...rest }: CommandEvidence): CommandEvidence {
  return rest;
}

test.each<[string, Partial<Evidence>, RegExp]>([
  ["failed", { commands: [command("make one"), command("make two", { state: "failed", exitCode: 1 })] }, /two/],
  ["ran again", { commands: [command("make one"), command("make two", { runs: 2 })] }, /two/],
  ["was mentioned", { commands: [command("make one"), command("make two", { mentions: 1 })] }, /two/],
  ["does more than look", { commands: [command("cat one"), command("cut two")] }, /two/],
  ["is newer", { commands: [command("make one", { round: 1 }), command("make two")] }, /two/],
  [
    "was used often, though it is old",
    { commands: [command("make one"), command("make two", { runs: 8, round: -1e4 })] },
    /two/,
  ],
  ["is short", { commands: [command(`make one${" x".repeat(40)}`), command("make two")] }, /two/],
  ["has a short path", { files: [file(`/${"one/".repeat(20)}a.ts`), file("/two/a.ts")] }, /two/],
  ["is an open error", { errors: [error("one failed", { state: "over" }), error("two failed")] }, /two/],
  ["is an error that came again", { errors: [error("one failed"), error("two failed", { times: 2 })] }, /two/],
  ["is a newer error", { errors: [error("one failed", { round: 1 }), error("two failed")] }, /two/],
  ["was decided and used", { rules: [decided("two", 1, 3), decided("one", ROUND, 0)] }, /two/],
  ["was decided just now", { rules: [decided("two", ROUND, 0), decided("one", 1, 0)] }, /two/],
  ["is a name that was used more often", { facts: [fact("nameOfOne", 1), fact("nameOfTwo", 2)] }, /Two/],
  ["was said by the user", { errors: [error("one failed")], rules: [{ text: "two is right", entry: 1 }] }, /two/],
])("comes first: what %s", (_, evidence, first) => {
  const texts = textsOf(evidence);
  expect(texts).toHaveLength(2);
  expect(texts[0]).toMatch(first);
});

function decided(text: string, round: number, uses: number) {
  return { text: `${text} is chosen`, entry: 1, ofModel: { round, uses } };
}

test("what the user said counts most, the newest first, up to a share of the budget", () => {
  const rules = ["a", "b", "c"].map((letter) => ({ text: letter.repeat(60), entry: 1 }));
  const scores = (budgetTokens: number) =>
    Object.fromEntries(linesOf({ rules }, "", budgetTokens).map(({ text, score }) => [text[1], score]));
  // 120 characters are three tenths of 100 tokens.
  const { a, b, c } = scores(100);
  expect([b, a! < b!]).toEqual([c, true]);
  expect(new Set(Object.values(scores(150))).size).toBe(1);
  const less = scores(99);
  expect([less["a"], less["b"]! < less["c"]!]).toEqual([less["b"], true]);
  // A decision of the model takes none of it.
  const withDecision = linesOf({ rules: [...rules, { ...decided("d", 1, 0), text: "d".repeat(60) }] }, "", 100);
  expect(withDecision.filter(({ score }) => score === c)).toHaveLength(2);
});

test("a command is told until its outcome stands behind it", () => {
  const told = (shown: string, of = command("npm test", { exitCode: 7 })) => textsOf({ commands: [of] }, shown).length;
  const padded = (characters: number) => `npm test${" ".repeat(characters)}7`;
  expect(told("npm test ended")).toBe(1);
  expect(told("7 npm test")).toBe(1);
  expect(told("npm test: exit 7")).toBe(0);
  expect(told("npm test: exit 77")).toBe(1);
  expect(told("npm test, then npm test: 7")).toBe(0);
  expect(told(`npm test${" ".repeat(300)}npm test: 7`)).toBe(0);
  expect([told(padded(199)), told(padded(200))]).toEqual([0, 1]);
  expect(told("npm test ended", omitExit(command("npm test")))).toBe(0);
  expect(told("npm run", omitExit(command("npm test")))).toBe(1);
});

test("one file has one line, under its whole path, with the worth of all its names", () => {
  const files = [file("/a/src/lexer.ts", { editEntry: 6 })];
  for (const name of ["src/lexer.ts", "./src/lexer.ts", "/a/src/lexer.ts"]) {
    const [line, ...more] = linesOf({ files, facts: [fact(name, 0, "path")] });
    expect([line, more]).toEqual([expect.objectContaining({ path: "/a/src/lexer.ts", text: " edited #6" }), []]);
    expect(line!.score).toBeGreaterThan(linesOf({ files })[0]!.score);
  }
  expect(textsOf({ facts: [fact("src/lexer.ts", 1, "path"), fact("~/b/src/lexer.ts", 1, "path")] })).toEqual([
    "~/b/src/lexer.ts #7",
  ]);
  expect(textsOf({ files, facts: [fact("other/src/lexer.ts", 1, "path")] })).toHaveLength(2);
});

test("a name that was seen and never used has no line, unless the user named it", () => {
  const users: StoredFact = ["nameOfUser", "identifier", "user", 7, 0, ROUND, 1];
  const facts = [
    fact("nameOfOne"),
    fact("nameOfTwo", 1),
    users,
    fact("/b/seen.ts", 0, "path"),
    fact("8443", 0, "number"),
  ];
  expect(textsOf({ facts }).toSorted()).toEqual(["nameOfTwo", "nameOfUser"]);
});
