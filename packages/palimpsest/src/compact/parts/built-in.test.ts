import { describe, expect, test } from "vitest";
import { HOST, OUTSIDE } from "../../log/provenance.ts";
import { CODING } from "../../policy/weigh.ts";
import { coding } from "../../presets/coding.ts";
import type { Surroundings } from "../../state/host-content.ts";
import { type Evidence, readEvidence } from "../evidence/state.ts";
import { files, folderRules, plan, skills, tools } from "./attachments.ts";
import { task, userMessages } from "./floor.ts";
import { evidence, latestResults, quotedLines } from "./record.ts";
import { countTokens, logMessage, showParts } from "./testing.ts";

const tokens = (count: number, of = "x"): string => of.repeat(count * 4);
const lines = (count: number): string => Array.from({ length: count }, (_, at) => `Step ${at + 1} of it`).join("\n");
const SAID = ["Fix the build.", "No, keep the tests.", "Then look at b.ts.", "Go on."].map((text, at) =>
  logMessage(at + 1, text),
);
const timesIn = (all: string, text: string): number => all.split(text).length - 1;

const EVIDENCE: Evidence = {
  ...readEvidence(undefined),
  newest: 100,
  round: 50,
  commands: [
    { command: "npm test", runs: 2, mentions: 0, entry: 9, state: "failed", exitCode: 1, round: 49, weight: 2 },
  ],
  rules: [
    { text: "No, keep the tests.", entry: 2 },
    { text: "Never push to main.", entry: 3 },
    { text: "I decided on a map.", entry: 4, ofModel: { round: 49, uses: 1 } },
  ],
  facts: [["SERVER_PORT", "identifier", "tool", 9, 3, 49, 3]],
  lines: [["SERVER_PORT", "const SERVER_PORT = 8080;"]],
  files: ["a.ts", "b.ts", "c.ts"].map((path) => ({
    path,
    reads: 1,
    edits: 0,
    readEntry: 1,
    ranges: [],
    round: 49,
    weight: 1,
  })),
};

describe("what always survives", () => {
  const given = {
    messages: SAID,
    evidence: EVIDENCE,
    pins: [
      { entry: 20, text: "The Greek stays in Greek." },
      { entry: 21, text: "Text of a file.", of: 4 },
    ],
    agents: [{ id: "a1", way: "background", goal: "look for callers", session: "s", status: "running", entry: 5 }],
    surroundings: { todos: async () => "- credit notes" },
  } as const;
  const mustHave = [
    "Fix the build.",
    "Go on.",
    "Never push to main.",
    "The Greek stays in Greek.",
    "look for callers",
    "- credit notes",
  ];

  test.each([
    ["without any part of a policy", [], 10_000],
    ["in a coding agent", coding().compact.keep, 100_000],
    ["in a small room", coding().compact.keep, 700],
  ])("is there word for word and once: %s", async (_, keep, roomTokens) => {
    const { all, floor } = await showParts(keep, { ...given, roomTokens });
    expect(floor).toBe("whole");
    for (const text of mustHave) expect(timesIn(all, text), text).toBe(1);
  });

  test("shows sentences of the user that no other text shows, and none of the model", async () => {
    const { all } = await showParts([userMessages({ maxTokens: 1_000 })], given);
    expect(all).toContain('What the user insists on, newest first (#N: entry N):\n- "Never push to main." #3');
    expect(timesIn(all, "No, keep the tests.")).toBe(1);
    expect(all).not.toContain("I decided on a map.");
  });

  test("keeps the source of a pin: the host, or outside for the text of an entry", async () => {
    const { texts } = await showParts([], given);
    const pinned = texts.filter(({ heading }) => heading.startsWith("Pinned"));
    expect(pinned.map(({ provenance }) => provenance)).toEqual([HOST, OUTSIDE]);
  });

  test("is cut to equal shares with the entries for recall if the room is too small", async () => {
    const long = [logMessage(1, tokens(4_000, "a")), logMessage(2, tokens(4_000, "b"))];
    const pins = [{ entry: 20, text: lines(2_000) }];
    const { all, floor, records } = await showParts(coding().compact.keep, { messages: long, pins, roomTokens: 1_500 });
    expect(floor).toBe("cut");
    expect(all).toMatch(/characters of entry 1 left out[\s\S]*characters of entry 2 left out/);
    expect(all).toMatch(/Pinned.*\(entry 20\):\nStep 1 of it\n[\s\S]*left out here: recall entry 20/);
    const why = expect.stringMatching(/^there was room for \d+ tokens$/);
    expect(records.find(({ name }) => name === "pins")).toMatchObject({ items: 1, why });
  });

  test("gets more room from a policy that names the part", async () => {
    const long = [logMessage(1, tokens(9_000, "a")), logMessage(2, "Go on.")];
    const whole = async (keep: Parameters<typeof showParts>[0]) =>
      (await showParts(keep, { messages: long, roomTokens: 20_000 })).all.includes(tokens(9_000, "a"));
    expect([
      await whole([]),
      await whole([task({ maxTokens: 100 })]),
      await whole([task({ maxTokens: 12_000 })]),
    ]).toEqual([false, false, true]);
  });
});

describe("the user's messages between the first and the newest", () => {
  test("keep corrections before newer messages, and name what is left out", async () => {
    const messages = [
      ...[
        logMessage(1, "The task."),
        logMessage(2, `No, not that way. ${tokens(40, "c")}`),
        logMessage(3, tokens(60, "z")),
      ],
      ...[logMessage(4, tokens(60, "y")), logMessage(5, "The newest.")],
    ];
    const { all } = await showParts([userMessages({ maxTokens: 90 })], { messages });
    expect(all).toContain("[1] The task.\n\n[5] The newest.");
    expect(all).toContain("[2] No, not that way.");
    expect(all).toContain("[2 left out: entries 3, 4]");
  });

  test("have no heading if there are none", async () => {
    const { all, records } = await showParts([userMessages({ maxTokens: 90 })], { messages: SAID.slice(0, 2) });
    expect(all).not.toContain("in between");
    expect(records.map(({ name }) => name)).toEqual(["task"]);
  });
});

describe("parts from the record", () => {
  const keep = [evidence({ maxTokens: 2_000 }), quotedLines({ maxTokens: 500 })];

  test("quote the lines of names in use, and tell commands with their outcome", async () => {
    const { all, texts } = await showParts(keep, { evidence: EVIDENCE });
    expect(all).toContain(
      "Lines from the record, as they last stood there, word for word:\n- const SERVER_PORT = 8080;",
    );
    expect(all).toContain("npm test -> exit 1 x2 #9");
    expect(all).toContain("I decided on a map.");
    const headings = texts.map(({ heading }) => heading.split(" ")[0]);
    expect(headings.indexOf("Evidence")).toBeLessThan(headings.indexOf("Lines"));
  });

  test("repeat nothing that other texts show", async () => {
    const { all, records } = await showParts(keep, { evidence: EVIDENCE, keptText: "const SERVER_PORT = 8080;" });
    expect(all).not.toContain("Lines from the record");
    expect(records.find(({ name }) => name === "quotedLines")).toMatchObject({ why: "other texts show all of it" });
  });

  test("use the room that other parts leave", async () => {
    const many = Array.from({ length: 300 }, (_, at) => [`name_${at}`, `const name_${at} = ${at};`] as const);
    const facts = many.map(([name]) => [name, "identifier", "tool", 9, 3, 49, 3] as const);
    const { records } = await showParts([quotedLines({ maxTokens: 1_000 })], {
      evidence: { ...EVIDENCE, facts, lines: many },
      roomTokens: 20_000,
    });
    expect(records.find(({ name }) => name === "quotedLines")!.tokens).toBeGreaterThan(900);
  });

  const ROUNDS = ["a", "b", "c", "d"].map((of, at) => ({ text: tokens(200, of), from: at + 1, to: at + 1 }));
  const results = [latestResults({ maxTokens: 500 })];

  test("show the newest results of an open turn, and none of a turn that is over", async () => {
    const { all } = await showParts(results, { work: ROUNDS, turn: "open" });
    expect(all).toContain(`The latest results of tools:\n${ROUNDS[2]!.text}\n${ROUNDS[3]!.text}`);
    expect(all).not.toContain(ROUNDS[1]!.text);
    expect((await showParts(results, { work: ROUNDS, turn: "closed" })).all).not.toContain("latest results");
  });

  test("show the newest results in the place and the room of a summary that no model wrote", async () => {
    const { all } = await showParts(results, { work: ROUNDS, turn: "closed", summary: undefined });
    expect(all).toContain("No summary could be written this time.");
    for (const { text } of ROUNDS) expect(all).toContain(text);
  });

  test("show both ends of a round that is too long", async () => {
    const work = [...ROUNDS, { text: `first\n${tokens(3_000)}\nlast`, from: 7, to: 9 }];
    const { all } = await showParts(results, { work, turn: "open" });
    expect(all).toMatch(/tools:\nfirst\n.*\[left out: \d+ characters of entries 7 to 9\].*\nlast/s);
  });
});

describe("files", () => {
  const given = { evidence: EVIDENCE, roomTokens: 10_000 };

  test("are shown as they are now, each once, and not if they are still in view", async () => {
    const read: string[] = [];
    const readFile = async (path: string) => {
      read.push(path);
      return path === "c.ts" ? undefined : lines(20);
    };
    const shown = await showParts([files({ maxTokens: 1_000 })], {
      ...given,
      surroundings: { readFile },
      shownFiles: new Set(["b.ts"]),
    });
    expect(read.toSorted()).toEqual(["a.ts", "c.ts"]);
    expect(shown.texts.filter(({ attachment }) => attachment === "file")).toMatchObject([
      { heading: "a.ts, as it is now:", text: lines(20), provenance: { kind: "outside", name: "a.ts" } },
    ]);
    const record = shown.records.find(({ name }) => name === "files");
    expect(record).toMatchObject({ items: 1, why: "1 of 2 files could not be read" });
  });

  test("stay within the room of the part", async () => {
    const readFile = async () => lines(300);
    const { records } = await showParts([files({ maxTokens: 1_500 })], { ...given, surroundings: { readFile } });
    const record = records.find(({ name }) => name === "files")!;
    expect(record.tokens).toBeLessThanOrEqual(1_500);
    expect(record).toMatchObject({ items: 3, why: "there was room for 1500 tokens" });
  });
});

describe("texts of the host", () => {
  const host: Surroundings = {
    toolInstructions: async () => "Use them well.",
    tools: async () => "look, read",
    planMode: async () => "Not yet decided.",
    plan: async () => "Rename the loader.",
    skills: async () => [{ name: "deploy", text: "Push it." }],
  };
  const rules = { folderRules: async () => [{ path: "src/AGENTS.md", text: "No default exports." }] };
  const keep = [
    ...[skills({ maxTokens: 2_000 }), plan({ maxTokens: 5_000 }), tools({ maxTokens: 2_000 })],
    folderRules({ maxTokens: 2_000 }),
  ];

  test("come back in the order of the list, each under its own heading and with its source", async () => {
    const { texts, all } = await showParts(keep, { surroundings: { ...host, ...rules } as Surroundings });
    expect(texts.map(({ attachment, provenance }) => [attachment, provenance.kind])).toEqual([
      ["skill", "project"],
      ["plan", "model"],
      ["plan-mode", "host"],
      ["tools", "tool"],
      ["tool-instructions", "tool"],
      ["folder-rules", "project"],
    ]);
    for (const { heading } of texts) expect(heading).toMatch(/^\S.*:$/);
    expect(all).toContain("Rules from src/AGENTS.md:\nNo default exports.");
    expect(texts[0]!.provenance).toEqual({ kind: "project", name: "deploy" });
  });

  test("are whole where other parts leave room, and cut with a mark that says where the rest is", async () => {
    const long = lines(3_000);
    const surroundings = { plan: async () => ({ text: long, path: "/s/plan.md" }) };
    const wide = await showParts([plan({ maxTokens: 20_000 })], { surroundings, roomTokens: 30_000 });
    expect(wide.all).toContain(long);
    const { all, records } = await showParts([plan({ maxTokens: 20_000 })], { surroundings, roomTokens: 5_000 });
    expect(all).toMatch(/\[\d+ characters more are left out here: read them in \/s\/plan\.md\]/);
    expect(all).toContain("Step 3000 of it");
    expect(records).toMatchObject([{ name: "plan", items: 1, why: "there was room for 5000 tokens" }]);
  });

  test("limit each skill", async () => {
    const surroundings = { skills: async () => ["a", "b"].map((name) => ({ name, text: lines(400) })) };
    const { texts } = await showParts([skills({ maxTokens: 5_000, eachTokens: 500 })], { surroundings });
    expect(texts).toHaveLength(2);
    for (const { heading, text } of texts) expect(countTokens(`${heading}\n${text}`)).toBeLessThanOrEqual(501);
    expect(texts[0]!.text).toContain("use the skill again");
  });

  test("that are blank or fail leave no trace", async () => {
    const surroundings: Surroundings = {
      tools: async () => " \n",
      plan: async () => Promise.reject(new Error("gone")),
    };
    const { texts, records, failures } = await showParts(keep, { surroundings });
    expect([texts, records, failures]).toEqual([[], [], []]);
  });
});

test("a coding agent without files has no part for files", () => {
  const names = (filesTokens: number): readonly string[] =>
    coding({ ...CODING.balanced, filesTokens }).compact.keep.map(({ name }) => name);
  expect(names(0)).toEqual(names(1).filter((name) => name !== "files"));
});
