/** `palimpsest/policy`: policies as values: presets, rules, forms of a summary, parts that survive a compaction, and the decision. */

export { files, folderRules, type ImagesOptions, images, plan, skills, tools } from "./compact/parts/attachments.ts";
export { fitItems } from "./compact/parts/fit.ts";
export { agents, pins, rules, task, todos, userMessages } from "./compact/parts/floor.ts";
export { matching } from "./compact/parts/matching.ts";
export { type RareLinesOptions, rareLines } from "./compact/parts/rare-lines.ts";
export { evidence, latestResults, quotedLines } from "./compact/parts/record.ts";
export {
  CODING_SECTIONS,
  codingSummary,
  native,
  type ProseOptions,
  prose,
  type SectionsOptions,
  sections,
  written,
} from "./compact/summary/forms.ts";
export { checkPolicy } from "./policy/check.ts";
export { type Decision, decide, type Weighed } from "./policy/decide.ts";
export type {
  Action,
  CacheRule,
  ClearRule,
  Collector,
  CompactExpectation,
  CompactReason,
  CompactRule,
  Cut,
  Json,
  KeepPart,
  Level,
  LoadedItem,
  LogMessage,
  Material,
  NativeSummary,
  NoSummary,
  NotesRule,
  Outline,
  OutlineTurn,
  PartBudget,
  PartText,
  Pause,
  PauseActivity,
  Pauses,
  PlannedItem,
  Policy,
  PrepareRule,
  Proposal,
  Room,
  Rule,
  StoreRule,
  Summary,
  SummaryAsk,
  SummaryForm,
  SummaryFunction,
  SummaryWay,
  SummaryWork,
  Verdict,
  WantedEdits,
  WarmRule,
  WeighNumbers,
  WriteSummary,
} from "./policy/policy.ts";
export { type AheadNumbers, nearCompaction } from "./policy/rules/ahead.ts";
export { fixedLifetimes, headByPauses } from "./policy/rules/cache.ts";
export {
  byCacheEdit,
  byProvider,
  bySize,
  type ClearNumbers,
  proposalOf,
  stale,
  toFit,
  whenCold,
  whenIdle,
  whenWarm,
} from "./policy/rules/clear.ts";
export { type KeepWarmNumbers, keepWarm } from "./policy/rules/keep-warm.ts";
export { notesByGrowth, notesWhenTheyPay } from "./policy/rules/notes.ts";
export { beforeMark, everything, keepNewest } from "./policy/rules/range.ts";
export { storeBySize, storeNothing } from "./policy/rules/store.ts";
export {
  afterMark,
  anyOf,
  type EconomicNumbers,
  economic,
  type SavingSizes,
  whenProposed,
  window,
} from "./policy/rules/when.ts";
export { CODING, type CodingNumbers, type Profile, SUPPORT, type SupportNumbers, WEIGH } from "./policy/weigh.ts";
export type {
  CacheLifetime,
  CacheSegment,
  CacheState,
  CompactionSizes,
  DecisionHistory,
  LastCompaction,
  Mark,
  ModelState,
  NotesState,
  PreparedSummary,
  Prices,
  ResultSort,
  ResultState,
  TokenPrices,
  TurnStatus,
  WindowLimits,
  WindowSize,
  WindowState,
} from "./policy/window-state.ts";
export {
  budget40K20K3,
  cacheEdits12Keep5,
  classic,
  idle60Keep5,
  notes10K5K3,
  provider180K140K,
  window13K,
} from "./presets/classic.ts";
export { type CodingOptions, coding, codingNotes } from "./presets/coding.ts";
export { type SupportOptions, support } from "./presets/support.ts";
export type { PolicyFacts, PolicyOption } from "./state/policy.ts";
