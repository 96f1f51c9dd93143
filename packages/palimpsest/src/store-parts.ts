/** `palimpsest/store-parts`: the types of the store port, and shared code for stores in other packages. Node only. */

export { PathError } from "./errors.ts";
export { checkChain, type Draft, EMPTY_LOG, type Entry, fromLine, type LogHead, sealEntries } from "./log/entry.ts";
export { isMatch, type Phrase, readQuery, snippetOf } from "./log/search-text.ts";
export { collectBatch } from "./stores/read.ts";
export { type ResultFilesOptions, resultFiles } from "./stores/result-files.ts";
export { sha256 } from "./stores/sha256.ts";
export {
  type AppendResult,
  assertStorable,
  type BatchOptions,
  type DeleteResult,
  type EntryBatch,
  type ExpiredPage,
  type ExpireOptions,
  fromMetadataText,
  InvalidEntryError,
  type ListedSession,
  type LogReader,
  type LogWriter,
  type OpenWriterOptions,
  type OpenWriterResult,
  type ResultContent,
  type ResultDraft,
  type SearchHit,
  type SearchOptions,
  type SessionMetadata,
  type SessionPage,
  toMetadataText,
} from "./stores/store.ts";
