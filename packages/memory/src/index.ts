export type { Batch, BatchGuard, BatchOutcome, BatchStep, BatchSummary } from "./batch.ts";
export {
  createExtractions,
  type DailyBudget,
  EXTRACTION_SOURCE,
  type ExtractionOptions,
  type Extractions,
  emitWaiting,
} from "./extraction/extractions.ts";
export { MEMORY_TOOL, type MemoryToolOptions, memoryTool } from "./extraction/memory-tool.ts";
export { readStatements, type StatementsInLog } from "./extraction/read-statements.ts";
export { type FileAnswer, type FileCommand, type FileCommandOptions, runFileCommand } from "./file-commands.ts";
export { ClosedMemoryError, UnsafeMemoryError } from "./files/memory-errors.ts";
export type { MemoryProblem } from "./files/scan-files.ts";
export { readFrontmatter } from "./frontmatter.ts";
export type { CommittedChange, MemoryCommit, NoHistory } from "./history/read-history.ts";
export { DEFAULT_LIMITS, type Headroom, type MemoryLimits } from "./limits.ts";
export type { ChangedTopics } from "./memory-directory.ts";
export { type DiffOutcome, type Memory, type MemoryOptions, openMemory } from "./open-memory.ts";
export type {
  Proposed,
  RefusalCause,
  Refused,
  StagedOutcome,
  Stale,
  Unchanged,
  WriteOutcome,
  Written,
} from "./outcomes.ts";
export type { Forgotten, Proposal } from "./proposal-text.ts";
export { type RecallTopicsOptions, recallTopics } from "./recall-topics.ts";
export { type ChooseByModelOptions, chooseByModel, RECALL_SOURCE } from "./search/choose-by-model.ts";
export {
  type ChooseTopics,
  createMemorySearch,
  type FoundSummary,
  type MemorySearch,
  type MemorySearchOptions,
} from "./search/memory-search.ts";
export type { TopicUse } from "./search/topic-uses.ts";
export { type FoundSecret, findSecrets } from "./secrets/find-secrets.ts";
export { isSlug, slugOf } from "./slug.ts";
export type { Author, Evidence, Topic, TopicDraft, TopicSummary, TopicType } from "./topic.ts";
export { readTopicText, type TopicContent } from "./topic-text.ts";
export { type CheckedClaim, type Claim, checkClaim, findForeign } from "./trust/check-claim.ts";
export { RECALLED, type Statement, toStatement } from "./trust/statement.ts";
export type { UndoOutcome } from "./undo.ts";
