import { expect, test } from "vitest";
import { type FactEvidence, type FactLine, readFact, type StoredFact } from "./evidence-state.ts";
import { createFacts, type FactPlace, type Facts } from "./facts.ts";

type Said = readonly [text: string, source: FactPlace["source"], round: number, entry?: number];

function factsOf(said: readonly Said[], from: Facts = createFacts([], [])): Facts {
  for (const [text, source, round, entry = round] of said) from.take(text, { source, round, entry });
  return from;
}

function known(facts: Facts, text: string): FactEvidence | undefined {
  return facts
    .stored()
    .map(readFact)
    .find((fact) => fact.text === text);
}

const NAME = "tokenTable";
/** Of a length that makes it a name. */
const nameOf = (at: number): string => `name_${1_000 + at}`;
const NEW = { text: NAME, sort: "identifier", entry: 1, uses: 0, round: 1 };

test.each<[string, readonly Said[], object]>([
  ["shown by a tool", [[NAME, "tool", 1]], { ...NEW, source: "tool", weight: 0.15 }],
  ["given by the user", [[NAME, "user", 1]], { ...NEW, source: "user", weight: 1.5 }],
  ["introduced by the model", [[NAME, "model", 1]], { ...NEW, source: "model", weight: 0.5 }],
  ["written into a file", [[NAME, "file", 1]], { ...NEW, source: "model", weight: 0.5 }],
  // The place where it was shown stays the one to recall.
  [
    "used",
    [
      [NAME, "tool", 1],
      [NAME, "model", 61],
    ],
    { ...NEW, source: "tool", uses: 1, round: 61, weight: 1.075 },
  ],
  [
    "shown again",
    [
      [NAME, "tool", 1],
      [NAME, "tool", 1, 5],
    ],
    { ...NEW, source: "tool", entry: 5, weight: 0.3 },
  ],
  [
    "used twice in one response",
    [
      [NAME, "tool", 1],
      [NAME, "model", 2],
      [NAME, "model", 2],
    ],
    { ...NEW, source: "tool", uses: 1, round: 2, weight: 1.148 },
  ],
  [
    "written into a file again",
    [
      [NAME, "tool", 1],
      [NAME, "file", 61],
    ],
    { ...NEW, source: "tool", round: 61, weight: 1.075 },
  ],
  [
    "named by the user at last",
    [
      [NAME, "tool", 1],
      [NAME, "user", 1, 2],
    ],
    { ...NEW, source: "user", entry: 2, weight: 1.65 },
  ],
  [
    "named by the user at first",
    [
      [NAME, "user", 1],
      [NAME, "tool", 1, 2],
    ],
    { ...NEW, source: "user", entry: 2, weight: 1.65 },
  ],
])("a name that is %s", (_, said, expected) => {
  expect(known(factsOf(said), NAME)).toEqual(expected);
});

test("what is written into a file is used if it is no name of code", () => {
  const facts = factsOf([
    ["see src/parse/lexer.ts", "tool", 1],
    ["see src/parse/lexer.ts", "file", 2],
  ]);
  expect(known(facts, "src/parse/lexer.ts")).toMatchObject({ uses: 1 });
});

test("a number keeps the words that it first stood behind", () => {
  const facts = factsOf([
    ["the limit is 8,192", "tool", 1],
    ["and so 8,192", "model", 2],
  ]);
  expect(known(facts, "8,192")).toMatchObject({ sort: "number", near: "the limit is", uses: 1 });
});

test("one file is one fact, under the name that says most, and it keeps its line", () => {
  for (const names of [
    ["/repo/src/lexer.ts", "src/lexer.ts"],
    ["src/lexer.ts", "/repo/src/lexer.ts"],
    ["/repo/src/lexer.ts", "./src/lexer.ts"],
  ] as const) {
    const facts = factsOf([
      [`first: ${names[0]}`, "tool", 1],
      [names[1], "model", 2],
    ]);
    expect(facts.stored().map(readFact)).toMatchObject([{ text: "/repo/src/lexer.ts", uses: 1, entry: 1 }]);
    expect(facts.lines(2)).toEqual([["/repo/src/lexer.ts", `first: ${names[0]}`]]);
  }
  const two = factsOf([
    ["/repo/src/lexer.ts", "tool", 1],
    ["/other/src/lexer.ts", "model", 2],
  ]);
  expect(two.stored()).toHaveLength(2);
});

test("the newest line that can be quoted is kept, and facts stand in the order of their last occurrence", () => {
  const facts = factsOf([
    [`const ${NAME} = 1;`, "tool", 1],
    ["let otherName = 2;", "tool", 1],
  ]);
  expect(facts.lines(1)).toEqual([
    [NAME, `const ${NAME} = 1;`],
    ["otherName", "let otherName = 2;"],
  ]);
  factsOf([[`${NAME} ${"x ".repeat(200)}`, "tool", 2]], facts);
  expect(facts.lines(2).map(([, line]) => line)).toEqual(["let otherName = 2;", `const ${NAME} = 1;`]);
  factsOf([[`return ${NAME};`, "model", 3]], facts);
  expect(facts.lines(3).at(-1)).toEqual([NAME, `return ${NAME};`]);
  // In the same response: no use, and still the newest line.
  factsOf([[`throw ${NAME};`, "model", 3]], facts);
  expect(facts.lines(3).at(-1)).toEqual([NAME, `throw ${NAME};`]);
  expect(factsOf([[NAME, "tool", 1]]).lines(1)).toEqual([]);
});

test("a stored state goes on as if it had not stopped", () => {
  const before = factsOf([[`see /repo/src/lexer.ts and ${NAME}`, "tool", 1]]);
  const after = createFacts(before.stored(), before.lines(1));
  expect(after.stored()).toEqual(before.stored());
  const more: readonly Said[] = [["src/lexer.ts", "model", 2]];
  expect(factsOf(more, after).stored()).toEqual(factsOf(more, before).stored());
  expect(after.lines(2)).toEqual(before.lines(2));
});

test("of a long listing the beginning and the end are kept", () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => nameOf(at));
  const kept = (count: number) =>
    factsOf([[names(count).join("\n"), "tool", 1]])
      .stored()
      .map(([text]) => text);
  expect(kept(400)).toEqual(names(400));
  expect(kept(401)).toHaveLength(400);
  expect(kept(402)).toEqual([...names(402).slice(0, 200), ...names(402).slice(202)]);
});

test("of too many facts, those go first that were never used again and that the user did not give", () => {
  const stored = Array.from({ length: 5_000 }, (_, at): StoredFact => {
    const source = at === 0 ? "user" : "tool";
    return [nameOf(at), "identifier", source, 1, at === 1 ? 1 : 0, 1, 0.15];
  });
  const facts = createFacts(stored, []);
  factsOf([[nameOf(5), "model", 2]], facts);
  expect(facts.stored()).toHaveLength(5_000);
  factsOf([["oneMoreName", "tool", 2]], facts);
  const left = facts.stored().map(([text]) => text);
  expect(left).toHaveLength(4_500);
  // The oldest of the rest are gone.
  expect(left.slice(0, 3)).toEqual([nameOf(0), nameOf(1), nameOf(504)]);
  expect(left.slice(-2)).toEqual([nameOf(5), "oneMoreName"]);
});

test("if all were used, the weakest go", () => {
  const stored = Array.from(
    { length: 5_000 },
    (_, at): StoredFact => [nameOf(at), "identifier", "tool", 1, 1, 1, at < 4_000 ? 2 : 1],
  );
  const facts = factsOf([["oneMoreName", "user", 1]], createFacts(stored, []));
  const left = facts.stored();
  expect(left).toHaveLength(4_500);
  expect(left.filter(([, , , , , , weight]) => weight === 2)).toHaveLength(4_000);
  expect(left.at(-1)![0]).toBe("oneMoreName");
});

test("lines are kept of the facts that weigh most", () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => at);
  const of = (count: number, weightOf: (at: number) => number) => {
    const stored = numbered(count).map((at): StoredFact => [nameOf(at), "identifier", "tool", 1, 0, 1, weightOf(at)]);
    const lines = numbered(count).map((at): FactLine => [nameOf(at), `line ${at}`]);
    return createFacts(stored, lines)
      .lines(1)
      .map(([, line]) => Number(line.split(" ")[1]));
  };
  expect(of(600, () => 1)).toEqual(numbered(600));
  expect(of(601, (at) => (at === 300 ? 0.5 : 1))).toEqual(numbered(601).filter((at) => at !== 300));
  // Among equals, those that occurred last.
  expect(of(610, () => 1)).toEqual(numbered(610).slice(10));
});
