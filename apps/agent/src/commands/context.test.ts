import { expect, test } from "vitest";
import { cacheLeft, decisionText, type ExplainedDecision, nextRows } from "./context.ts";

const economic = {
  kind: "economic",
  policy: "coding, balanced",
  atTokens: 100_000,
  withinTurnAtTokens: 150_000,
  approval: "automatic",
} as const;

test("nextRows says at which size the conversation is compacted, and when results are cleared", () => {
  expect(nextRows(economic, ", in 3 min")).toEqual([
    ["next", "compaction at 100,000 tokens between turns (150,000 tokens during a turn), if that saves money"],
    ["", "old tool results are cleared when the prompt cache expires, in 3 min"],
    ["policy", "coding, balanced"],
  ]);
  expect(nextRows({ ...economic, approval: "asks", withinTurnAtTokens: 100_000 }, "")[0]).toEqual([
    "next",
    "compaction at 100,000 tokens, if that saves money, after asking you",
  ]);
});

test("nextRows promises no clearing for a policy whose rules it does not know", () => {
  expect(nextRows({ kind: "window", policy: "mine", atTokens: 160_000, approval: "automatic" }, "")).toEqual([
    ["next", "compaction at 160,000 tokens, where the context window is nearly full"],
    ["policy", "mine"],
  ]);
});

test("nextRows explains a compaction that waits, and says if compaction is off", () => {
  const held = {
    kind: "held",
    policy: "mine",
    atTokens: 160_000,
    approval: "automatic",
    thenAtTokens: 100_000,
  } as const;
  expect(nextRows({ ...held, heldBy: "restored" }, "")[0]![1]).toBe(
    "compaction at 160,000 tokens: you undid a compaction, and only a full window triggers another one",
  );
  expect(nextRows({ ...held, heldBy: "opened" }, "")[0]![1]).toMatch(/; afterwards at 100,000 tokens$/);
  expect(nextRows({ kind: "off", policy: "mine" }, "")[0]![1]).toBe(
    "no compaction, because it is off: only /compact compacts",
  );
});

test("cacheLeft says when the prompt cache expires", () => {
  const tokens = { inputTokens: 1, cachedTokens: 1 };
  expect(cacheLeft({ ...tokens, cache: "warm", coldAtMs: 100_000 }, 10_000)).toBe(", in 2 min");
  expect(cacheLeft({ ...tokens, cache: "cold", coldAtMs: 100_000 }, 200_000)).toBe(": with the next request");
  expect(cacheLeft({ ...tokens, cache: "new" }, 0)).toBe("");
});

const figures = { unit: "usd", costNow: 0.1, costLater: 0, savesNow: 0, savesLater: 0.35, net: 0.25 } as const;
const proposal = { rule: "compact", level: "if-it-pays", because: "it is large", figures } as const;
const decision: ExplainedDecision = {
  status: "made",
  outcome: { kind: "nothing" },
  policy: "coding, balanced",
  atMs: 0,
  tokens: 120_000,
  rule: undefined,
  because: "compact: nothing has been sent yet",
  proposals: [],
  failed: [],
};

test("decisionText lists every proposal with its saving, and why it was not taken", () => {
  const proposals = [
    { ...proposal, freesTokens: 85_000, tokensAfter: 35_000, barred: undefined },
    {
      ...proposal,
      rule: "to-fit",
      level: "when-full",
      freesTokens: 9_000,
      tokensAfter: 111_000,
      barred: "the window is not full",
    },
  ] as const;
  const lines = decisionText({
    ...decision,
    outcome: { kind: "done" },
    rule: "compact",
    because: "compact pays",
    proposals,
  })
    .join("\n")
    .split("\n");
  expect(lines).toEqual([
    "",
    "Newest decision, at 120,000 tokens: done (compact pays).",
    "rule     when                    frees    saves  why not",
    "compact  if it saves money      85,000  $0.2500  taken",
    "to-fit   if the window is full   9,000  $0.2500  the window is not full",
  ]);
});

test.each([
  [{ kind: "held", because: "you undid one" }, "held, because you undid one", "held"],
  [
    { kind: "declined", because: "the user did not approve it" },
    "declined, because the user did not approve it",
    "declined",
  ],
  [{ kind: "failed", because: "no model answered" }, "failed, because no model answered", "failed"],
  [{ kind: "running" }, "begun", "begun"],
] as const)("decisionText says that a decision was not carried out: %o", (outcome, sentence, cell) => {
  const proposals = [{ ...proposal, freesTokens: 85_000, tokensAfter: 35_000, barred: undefined }];
  const text = decisionText({ ...decision, outcome, rule: "compact", because: "compact pays", proposals }).join("\n");
  expect(text).toContain(`Newest decision, at 120,000 tokens: ${sentence} (compact pays).`);
  expect(text).toMatch(new RegExp(` ${cell}$`));
});

test("decisionText says what would be done if the session has made no decision since it was opened", () => {
  const expected = { ...decision, status: "expected", outcome: undefined } as const;
  expect(decisionText(expected)[1]).toBe(
    "Before a request now, at 120,000 tokens: nothing to do (compact: nothing has been sent yet).",
  );
  expect(decisionText({ ...expected, rule: "compact", because: "compact pays" })[1]).toContain("this would be done");
});

test("decisionText says that nothing was done, and shows costs as negative savings", () => {
  expect(decisionText(decision)).toEqual([
    "",
    "Newest decision, at 120,000 tokens: nothing to do (compact: nothing has been sent yet).",
  ]);
  const costly = {
    ...proposal,
    freesTokens: 1,
    tokensAfter: 1,
    barred: "it does not pay",
    figures: { ...figures, net: -0.5 },
  };
  expect(decisionText({ ...decision, proposals: [costly] }).join("\n")).toContain("-$0.5000");
});
