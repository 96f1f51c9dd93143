export type { Batch, BatchGuard, BatchOutcome, BatchStep, BatchSummary } from "./batch.ts";
export {
  createExtractions,
  type DailyBudget,
  EXTRACTION_SOURCE,
  type ExtractionOptions,
  type Extractions,
  emitWaiting,
  type RunningExtraction,
} from "./extraction/extractions.ts";
export { MEMORY_TOOL, type MemoryToolOptions, memoryTool } from "./extraction/memory-tool.ts";
export { readStatements, type StatementsInLog } from "./extraction/read-statements.ts";
export { type FileAnswer, type FileCommand, type FileCommandOptions, runFileCommand } from "./file-commands.ts";
export { type FileFunctions, fileFunctions, RefusedFileCommandError } from "./file-functions.ts";
export { readFrontmatter } from "./frontmatter.ts";
export { DEFAULT_LIMITS, type Headroom, type MemoryLimits } from "./limits.ts";
export type { AcceptOptions, FoundSummary, Memory } from "./memory.ts";
export { ClosedMemoryError, UnsafeMemoryError } from "./memory-errors.ts";
export type { CommittedChange, DiffOutcome, MemoryCommit, MemoryProblem, NoHistory, TopicUse } from "./memory-files.ts";
export { type FolderMemory, type MemoryOptions, openMemory } from "./open-memory.ts";
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
export { type RecalledTopics, type RecallTopicsOptions, recallTopics } from "./recall-topics.ts";
export type { Embedder } from "./search/topic-search.ts";
export { type FoundSecret, findSecrets } from "./secrets/find-secrets.ts";
export { isSlug, slugOf } from "./slug.ts";
export type { Author, Evidence, Topic, TopicDraft, TopicSummary, TopicType } from "./topic.ts";
export { factOfTopic, textOfTopic, withFact } from "./topic-fact.ts";
export { readTopicText, type TopicContent } from "./topic-text.ts";
export { type CheckedClaim, type Claim, checkClaim, type FoundQuote } from "./trust/check-claim.ts";
export { findForeign } from "./trust/find-foreign.ts";
export { RECALLED, type Statement, toStatement } from "./trust/statement.ts";
export type { UndoOutcome } from "./undo.ts";
