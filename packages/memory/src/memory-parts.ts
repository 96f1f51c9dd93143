export { type AuthoredChange, type ChangeSet, type FileChange, versionOf } from "./change-set.ts";
export { type CreateMemoryOptions, createMemory } from "./create-memory.ts";
export { type FileRow, rowsAfter, toFileRow, toGoneRow } from "./file-row.ts";
export { type CommitFacts, commitObject, treesOf } from "./history/commit-objects.ts";
export { blobId, type GitObject } from "./history/git-object.ts";
export type {
  AppliedChanges,
  FileContent,
  MemoryFile,
  MemoryFiles,
  MemoryView,
  PastChange,
  PastCommit,
  PlannedChanges,
  SeenFiles,
} from "./memory-files.ts";
export { INDEX_PATH } from "./paths.ts";
export { toMemoryFile } from "./to-topic.ts";
export { wantedIndex } from "./wanted-index.ts";
