// A misspelled option would change nothing, and nobody would notice.

import { expect, test } from "vitest";
import { InvalidOptionError } from "../errors.ts";
import * as policy from "../policy.ts";

type Constructor = (options: never) => unknown;
type Values = Readonly<Record<string, unknown>>;

const form = policy.prose("Everything.");
const clear = { keepNewest: 3, keepTools: ["Look"], minTokens: 10 };
const each = { maxTokens: 1_000, eachTokens: 100, share: 0.1 };
const notes = { sectionTokens: 10, totalTokens: 100, keep: { tokens: 1, messages: 1, maxTokens: 2 } };
const prose = { check: () => "ok", maxTokens: 10, ifUnmet: "refuse", model: "small" };
const keepWarm = policy.keepWarm();
const sizes = { fromTokens: 10, inTurnFromTokens: Number.POSITIVE_INFINITY };

/** Every constructor with all of its options. */
const CONSTRUCTORS: Readonly<Record<string, readonly [Constructor, Values]>> = {
  coding: [
    (options) => policy.coding("economy", options),
    { compactAtPercent: 50, summaryModel: "small", notes: policy.codingNotes(), keepWarm },
  ],
  "coding with numbers": [policy.coding, policy.CODING.balanced as unknown as Values],
  support: [policy.support, { ids: /ORD-\d{6}/, profile: "economy" }],
  "support with numbers": [(profile) => policy.support({ ids: /a/, profile }), { ...policy.SUPPORT.quality }],
  task: [policy.task, { maxTokens: 10 }],
  userMessages: [policy.userMessages, { maxTokens: 10, share: 0.1 }],
  rules: [policy.rules, { maxTokens: 10 }],
  pins: [policy.pins, { maxTokens: 10 }],
  agents: [policy.agents, { maxTokens: 10 }],
  todos: [policy.todos, { maxTokens: 10 }],
  evidence: [policy.evidence, { maxTokens: 10, share: 0.1 }],
  quotedLines: [policy.quotedLines, { maxTokens: 10, share: 0.1 }],
  rareLines: [policy.rareLines, { maxTokens: 10, share: 0.1, exceptTools: ["Todo"] }],
  latestResults: [policy.latestResults, { maxTokens: 10, share: 0.1 }],
  files: [policy.files, { ...each, count: 3 }],
  skills: [policy.skills, each],
  plan: [policy.plan, { maxTokens: 10, share: 0.1 }],
  tools: [policy.tools, { maxTokens: 10, share: 0.1 }],
  folderRules: [policy.folderRules, each],
  images: [policy.images, { newest: 1, maxTokens: 10, share: 0.1 }],
  matching: [
    (options) => policy.matching(/a/, options),
    { name: "a", heading: "A:", maxTokens: 10, most: 3, in: ["user"] },
  ],
  codingSummary: [policy.codingSummary, { maxTokens: 10, model: "small" }],
  prose: [(options) => policy.prose("Everything.", options), prose],
  sections: [(options) => policy.sections({ Open: "What is open." }, options), { ...prose, required: ["Open"] }],
  written: [(options) => policy.written("mine", async () => "", options), { timeoutMs: 10, otherwise: form }],
  native: [policy.native, { otherwise: form }],
  window: [policy.window, { bufferTokens: 10, percent: 50 }],
  nearCompaction: [policy.nearCompaction, { idleShare: 0.9, inTurnShare: 0.9, maxTailTokens: 10 }],
  economic: [policy.economic, { ...sizes, unlessKeptWarm: sizes, aboveWindowTokens: 0 }],
  "economic, not kept warm": [(unlessKeptWarm) => policy.economic({ ...sizes, unlessKeptWarm } as never), sizes],
  whenProposed: [policy.whenProposed, { fromTokens: 10 }],
  afterMark: [(options) => policy.afterMark("ticket", options), { fromTokens: 10 }],
  keepNewest: [policy.keepNewest, { tokens: 10, messages: 1, maxTokens: 20 }],
  storeBySize: [
    policy.storeBySize,
    { thresholdCharacters: 1, roundCharacters: 2, userMessageCharacters: 3, byTool: { Look: "never" } },
  ],
  whenCold: [policy.whenCold, clear],
  whenIdle: [policy.whenIdle, { ...clear, minutes: 60 }],
  whenWarm: [policy.whenWarm, { ...clear, horizonRequests: 10 }],
  bySize: [policy.bySize, { ...clear, targetTokens: 10, nearLimitTokens: 10 }],
  toFit: [policy.toFit, { ...clear, toShare: 0.5 }],
  byCacheEdit: [policy.byCacheEdit, { ...clear, atLeastResults: 10 }],
  byProvider: [
    policy.byProvider,
    {
      ...{ ...clear, aboveTokens: 10, freeAtLeastTokens: 10, inputsOf: ["Edit"] },
      ...{ thinkingAfterIdleMinutes: 60, onlyInTurn: true, level: "when-full" },
    },
  ],
  headByPauses: [policy.headByPauses, { keepWarm }],
  keepWarm: [policy.keepWarm, { whileToolRuns: 1, whileWaiting: 1, capUsd: 1 }],
  fixedLifetimes: [(options) => policy.fixedLifetimes("1h", "5m", options), { keepWarm }],
  notesByGrowth: [policy.notesByGrowth, { ...notes, firstTokens: 1, growthTokens: 1, toolCalls: 1 }],
  notesWhenTheyPay: [policy.notesWhenTheyPay, { ...notes, beforeColdShare: 0.2, nearTokens: 10 }],
};

test.each(Object.entries(CONSTRUCTORS))("%s takes each of its options, and rejects a misspelled one", (_, one) => {
  const [construct, options] = one;
  const call = (values: Values) => () => construct(values as never);
  expect(call(options)).not.toThrow();
  const [name] = Object.keys(options);
  const misspelled = `${name!.slice(0, -1)}x`;
  expect(call({ ...options, [misspelled]: options[name!] })).toThrow(InvalidOptionError);
  expect(call({ ...options, [misspelled]: options[name!] })).toThrow(`"${misspelled}". Did you mean "${name}"?`);
});

test("every exported constructor with options is in that table", () => {
  const names = Object.entries(policy).flatMap(([name, value]) => (typeof value === "function" ? [name] : []));
  const without = ["anyOf", "beforeMark", "checkPolicy", "codingNotes", "decide", "everything", "fitItems"];
  const others = [...without, "proposalOf", "stale", "storeNothing", "window13K"];
  expect(names.filter((name) => !Object.hasOwn(CONSTRUCTORS, name)).toSorted()).toEqual(others.toSorted());
});

test("an unknown option is rejected with all known names", () => {
  const misspelled = { maxTokns: 10 } as object;
  expect(() => policy.prose("Everything.", misspelled)).toThrow(
    'prose() has no option "maxTokns". Did you mean "maxTokens"? Its options: check, maxTokens, ifUnmet and model.',
  );
  expect(() => policy.task({ color: "red" } as object)).toThrow(
    'task() has no option "color". Its options: maxTokens.',
  );
});

test.each<[string, () => unknown, string]>([
  ["a profile", () => policy.coding("econmy" as never), 'The profile of coding() is "econmy"; it must be'],
  [
    "a profile of support",
    () => policy.support({ ids: /a/, profile: "cheap" as never }),
    'The option profile of support() is "cheap"; it must be',
  ],
  ["no pattern", () => policy.support({} as never), "The option ids of support() is missing; it must be a pattern"],
  [
    "a text for a number",
    () => policy.prose("", { maxTokens: "9" as never }),
    'The option maxTokens of prose() is "9"; it must be a number from 0 on.',
  ],
  ["no options", () => policy.files(undefined as never), "The options of files() is missing"],
])("%s is rejected with what fits", (_, construct, message) => {
  expect(construct).toThrow(message);
});
