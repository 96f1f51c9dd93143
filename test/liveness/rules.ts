import type * as policies from "palimpsest/policy";
import {
  afterMark,
  agents,
  anyOf,
  beforeMark,
  budget40K20K3,
  byCacheEdit,
  byProvider,
  bySize,
  type CompactRule,
  cacheEdits12Keep5,
  classic,
  coding,
  codingNotes,
  codingSummary,
  economic,
  everything,
  evidence,
  files,
  fixedLifetimes,
  folderRules,
  headByPauses,
  idle60Keep5,
  images,
  type KeepPart,
  type KeepWarmNumbers,
  keepNewest,
  keepWarm,
  latestResults,
  matching,
  type NotesRule,
  native,
  nearCompaction,
  notes10K5K3,
  notesByGrowth,
  notesWhenTheyPay,
  type Policy,
  pins,
  plan,
  prose,
  provider180K140K,
  quotedLines,
  rareLines,
  rules,
  sections,
  skills,
  storeBySize,
  storeNothing,
  support,
  task,
  todos,
  toFit,
  tools,
  userMessages,
  whenCold,
  whenIdle,
  whenProposed,
  whenWarm,
  window,
  window13K,
  written,
} from "palimpsest/policy";
import { answerLate, sayTwice, waitForTool, waitForUser } from "./drives/cache.ts";
import {
  continueCold,
  continueFull,
  continueNearLimit,
  continueNearLimitWithEdits,
  continueWarm,
  continueWithDeletions,
  continueWithEdits,
} from "./drives/clearing.ts";
import {
  closeTickets,
  compactInTurn,
  compactOnce,
  fillWindow,
  proposeCompaction,
  workLong,
  workVeryLong,
} from "./drives/compaction.ts";
import { compactByNotes, noteBeforePause, noteTurns } from "./drives/notes.ts";
import { storeResults } from "./drives/storing.ts";
import { type Drive, type Experiment, experiment } from "./experiment.ts";

/** What `palimpsest/policy` exports besides rules, parts, forms and presets. */
type Others =
  | "CODING"
  | "CODING_SECTIONS"
  | "SUPPORT"
  | "WEIGH"
  | "checkPolicy"
  | "decide"
  | "fitItems"
  | "proposalOf"
  | "stale";
type RuleName = Exclude<keyof typeof policies, Others>;

const base = coding();
const clears = (...clear: Policy["clear"]): Policy => ({ ...base, clear });
const compacts = (compact: Partial<CompactRule>): Policy => ({
  ...base,
  clear: [],
  compact: { ...base.compact, ...compact },
});
const caches = (cache: Policy["cache"]): Policy => ({ ...base, cache });
const USUAL: KeepWarmNumbers = { whileToolRuns: 11, whileWaiting: 2, capUsd: 0.5 };
const pings = (numbers: KeepWarmNumbers): Policy => caches(headByPauses({ keepWarm: keepWarm(numbers) }));
/** Without summaries that are prepared, which come before notes. */
const notes = (rule: NotesRule, compact: Partial<CompactRule> = {}): Policy => ({
  ...compacts({ prepareAhead: undefined, ...compact }),
  notes: rule,
});

/** A policy with only this part, and one without any. Parts of the floor come first if a policy does not name them. */
const part = (one: KeepPart, drive: Drive = compactOnce): Experiment => {
  const others = [evidence({ maxTokens: 100 })];
  return experiment(drive, [compacts({ keep: [...others, one] }), compacts({ keep: others })]);
};

const summary = (one: CompactRule["summary"]): Experiment =>
  experiment(compactOnce, [compacts({ summary: one }), compacts({})]);

const EDITS = { keepNewest: 4, aboveTokens: 20_000, freeAtLeastTokens: 5_000 };
const GROWTH = { firstTokens: 5_000, growthTokens: 2_000, toolCalls: 1 };

/** Clears by these rules, and compacts only when the window is nearly full. */
const clearsFull = (...clear: Policy["clear"]): Policy => ({ ...compacts({ when: window() }), clear });

/** For each rule, part, form and preset, two policies that differ in it. A new one without an experiment does not compile. */
export const RULE_EXPERIMENTS: Readonly<Record<RuleName, Experiment>> = {
  // Presets
  coding: experiment(workVeryLong, [coding("balanced"), coding("quality")]),
  support: experiment(closeTickets, [support({ ids: /ORD-\d{6}/ }), base]),
  classic: experiment(continueCold, [classic, base]),
  budget40K20K3: experiment(continueNearLimit, [clearsFull(budget40K20K3), clearsFull()]),
  cacheEdits12Keep5: experiment(continueWithDeletions, [clears(cacheEdits12Keep5), clears()]),
  idle60Keep5: experiment(continueCold, [clears(idle60Keep5), clears()]),
  notes10K5K3: experiment(noteTurns, [notes(notes10K5K3), base]),
  provider180K140K: experiment(continueNearLimitWithEdits, [clearsFull(provider180K140K), clearsFull()]),
  window13K: experiment(fillWindow, [compacts({ when: window13K }), compacts({ when: window({ percent: 40 }) })]),
  codingNotes: experiment(noteTurns, [notes(codingNotes()), base]),

  // When to compact, and when to write the summary ahead
  nearCompaction: experiment(workVeryLong, [
    compacts({ prepareAhead: nearCompaction({ idleShare: 0.5, inTurnShare: 0.5, maxTailTokens: 40_000 }) }),
    compacts({ prepareAhead: undefined }),
  ]),

  // What is cleared
  whenCold: experiment(continueCold, [clears(whenCold({ keepNewest: 2 })), clears()]),
  whenIdle: experiment(continueCold, [clears(whenIdle({ minutes: 60, keepNewest: 2 })), clears()]),
  whenWarm: experiment(continueWarm, [clears(whenWarm({ keepNewest: 2, horizonRequests: 60 })), clears()]),
  bySize: experiment(continueFull, [
    clearsFull(bySize({ keepNewest: 2, targetTokens: 5_000, nearLimitTokens: 20_000 })),
    clearsFull(),
  ]),
  toFit: experiment(fillWindow, [clearsFull(toFit({ keepNewest: 2, toShare: 0.6 })), clearsFull()]),
  byProvider: experiment(continueWithEdits, [clears(byProvider(EDITS)), clears()]),
  byCacheEdit: experiment(continueWithDeletions, [clears(byCacheEdit({ keepNewest: 4, atLeastResults: 4 })), clears()]),

  // When and what is compacted
  window: experiment(fillWindow, [compacts({ when: window({ percent: 40 }) }), compacts({ when: window() })]),
  economic: experiment(workLong, [
    compacts({ when: economic({ fromTokens: 30_000, inTurnFromTokens: 1_000_000 }) }),
    compacts({ when: window() }),
  ]),
  anyOf: experiment(workLong, [
    compacts({ when: anyOf(window(), economic({ fromTokens: 30_000, inTurnFromTokens: 1_000_000 })) }),
    compacts({ when: window() }),
  ]),
  whenProposed: experiment(proposeCompaction, [compacts({ when: whenProposed() }), compacts({ when: window() })]),
  afterMark: experiment(closeTickets, [compacts({ when: afterMark("ticket") }), compacts({ when: window() })]),
  everything: experiment(compactOnce, [compacts({ range: everything }), compacts({ range: beforeMark("ticket") })]),
  beforeMark: experiment(compactOnce, [compacts({ range: beforeMark("ticket") }), compacts({ range: everything })]),
  keepNewest: experiment(compactOnce, [
    compacts({ range: keepNewest({ tokens: 1_000, messages: 1, maxTokens: 40_000 }) }),
    compacts({ range: everything }),
  ]),

  // Summaries
  codingSummary: experiment(compactOnce, [compacts({ summary: codingSummary({ maxTokens: 500 }) }), compacts({})]),
  prose: summary(prose("Say what was done.")),
  sections: summary(sections({ Done: "What was done." })),
  native: summary(native({ otherwise: codingSummary() })),
  written: summary(written("mine", async () => "It was all done.")),

  // What survives
  task: part(task({ maxTokens: 200_000 })),
  rules: part(rules()),
  pins: part(pins()),
  agents: part(agents()),
  todos: part(todos()),
  userMessages: part(userMessages({ maxTokens: 5_000 })),
  evidence: experiment(compactOnce, [
    compacts({ keep: [evidence({ maxTokens: 8_000 })] }),
    compacts({ keep: [evidence({ maxTokens: 100 })] }),
  ]),
  quotedLines: part(quotedLines({ maxTokens: 4_000 })),
  rareLines: part(rareLines({ maxTokens: 4_000 })),
  latestResults: part(latestResults({ maxTokens: 10_000 }), compactInTurn),
  files: part(files({ maxTokens: 20_000 })),
  skills: part(skills({ maxTokens: 5_000 })),
  plan: part(plan({ maxTokens: 5_000 })),
  tools: part(tools({ maxTokens: 5_000 })),
  folderRules: part(folderRules({ maxTokens: 5_000 })),
  images: part(images({ newest: 2, maxTokens: 8_000 })),
  matching: part(matching(/ORD-\d{6}/)),

  // Notes
  notesByGrowth: experiment(noteTurns, [notes(notesByGrowth(GROWTH)), base]),
  notesWhenTheyPay: experiment(noteBeforePause, [
    notes(notesWhenTheyPay({ beforeColdShare: 0.2, nearTokens: 10_000 })),
    notes(notesWhenTheyPay({ beforeColdShare: 0.01, nearTokens: 10_000 })),
  ]),

  // Storing and caching
  storeBySize: experiment(storeResults, [{ ...base, store: storeBySize({ thresholdCharacters: 5_000 }) }, base]),
  storeNothing: experiment(storeResults, [{ ...base, store: storeNothing() }, base]),
  fixedLifetimes: experiment(sayTwice, [caches(fixedLifetimes("1h", "1h")), caches(fixedLifetimes("5m", "5m"))]),
  headByPauses: experiment(answerLate, [caches(headByPauses()), caches(fixedLifetimes("5m", "5m"))]),
  keepWarm: experiment(waitForUser, [pings({ ...USUAL, whileToolRuns: 0 }), caches(headByPauses())]),
};

/** Numbers of rules that the table above leaves as they are. */
export const NUMBER_EXPERIMENTS: Readonly<Record<string, Experiment>> = {
  "keepWarm while a tool runs": experiment(waitForTool, [pings(USUAL), pings({ ...USUAL, whileToolRuns: 0 })]),
  "keepWarm while waiting": experiment(waitForUser, [pings(USUAL), pings({ ...USUAL, whileWaiting: 0 })]),
  "capUsd of keepWarm": experiment(waitForTool, [pings(USUAL), pings({ ...USUAL, capUsd: 0.005 })]),
  "keep of notes": experiment(compactByNotes, [
    notes(notesByGrowth({ ...GROWTH, keep: { tokens: 1_000, messages: 1, maxTokens: 40_000 } }), { when: window() }),
    notes(notesByGrowth({ ...GROWTH, keep: { tokens: 15_000, messages: 1, maxTokens: 40_000 } }), { when: window() }),
  ]),
};
