export type { Batch, BatchGuard, BatchOutcome, BatchStep, BatchSummary } from "./batch.ts";
export {
  createExtractions,
  type DailyBudget,
  EXTRACTION_SOURCE,
  type ExtractionOptions,
  type Extractions,
  tellWaiting,
} from "./extraction/extractions.ts";
export { MEMORY_TOOL, type MemoryToolOptions, memoryTool } from "./extraction/memory-tool.ts";
export { readSaid, type SaidInLog } from "./extraction/read-said.ts";
export { type FileAnswer, type FileCommand, type FileCommandOptions, runFileCommand } from "./file-commands.ts";
export { ClosedMemoryError, UnsafeMemoryError } from "./files/memory-errors.ts";
export type { MemoryProblem } from "./files/scan-files.ts";
export { readFrontmatter } from "./frontmatter.ts";
export type { CommittedChange, MemoryCommit, NoHistory } from "./history/read-history.ts";
export { DEFAULT_LIMITS, type Headroom, type MemoryLimits } from "./limits.ts";
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
export { RECALLED, type Said, toSaid } from "./trust/said.ts";
export { type Claim, findForeign, type Weighed, weighClaim } from "./trust/weigh-claim.ts";
export type { UndoOutcome } from "./undo.ts";
export type { Forgotten, Proposal } from "./waiting-text.ts";
export type { ChangedTopics } from "./workbench.ts";
