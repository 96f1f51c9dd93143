/** `@palimpsest/observe/replay`: replays recorded sessions under other policies, and computes their cost. */
export { createSearch, factsOf, type UsedFact } from "./facts.ts";
export { headTokensOf } from "./head.ts";
export { attemptsOf, contentsOf, filesRead, type SeenTouch, touchesOf } from "./known-files.ts";
export { type Need, needsOf, plainLine, textOf } from "./needs.ts";
export {
  ENGINE_POLICIES,
  type EnginePolicy,
  REPLAY_POLICIES,
  type ReplayPolicy,
  RULE_POLICIES,
  type RulePolicy,
  toRulePolicy,
} from "./policies.ts";
export {
  type RecordedItem,
  type RecordedRound,
  type RecordedView,
  type Recording,
  toRecording,
} from "./recording.ts";
export { findReplayModel, type ReplayModel, replayModels } from "./replay-model.ts";
export { prepareReplay, type ReplayConditions } from "./replay-recording.ts";
export {
  figuresOf,
  type PreparedCounts,
  type ReplayedRequest,
  type ReplayFigures,
  type ReplayRun,
  runPrice,
} from "./replay-run.ts";
export { compactAt, limitOf } from "./rules/plain-rules.ts";
export { type ReplayRuleOptions, replayRule } from "./rules/replay-rule.ts";
export type { Rule, RuleMessage, RuleSession, RuleSituation } from "./rules/rule.ts";
export { writingMs } from "./simulated-summary.ts";
export type { Touch } from "./touch.ts";
