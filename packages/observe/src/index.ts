/** `@palimpsest/observe`: reads transcripts of other agents, and imports their sessions. */

export { type ImportedSession, type ImportSessionOptions, importSession } from "./transcripts/import/import-session.ts";
export { describeTranscript, type TranscriptDescription } from "./transcripts/readers/describe-transcript.ts";
export { findAgentTranscripts, findTranscripts } from "./transcripts/readers/find-transcripts.ts";
export { isOfFolder } from "./transcripts/readers/is-of-folder.ts";
export { readClaudeCode } from "./transcripts/readers/read-claude-code.ts";
export { readCodex } from "./transcripts/readers/read-codex.ts";
export {
  DEFAULT_READ_LINES,
  type ReadLinesOptions,
  readLines,
  type TranscriptLine,
} from "./transcripts/readers/read-lines.ts";
export { readPi } from "./transcripts/readers/read-pi.ts";
export {
  readTranscript,
  type TranscriptReference,
  type TranscriptSource,
} from "./transcripts/readers/read-transcript.ts";
export {
  RECORDED_AGENTS,
  type RecordedAgent,
  type RecordedBlock,
  type RecordedBranch,
  type RecordedCompaction,
  type RecordedDamage,
  type RecordedEntry,
  type RecordedKept,
  type RecordedMedia,
  type RecordedMessage,
  type RecordedMicrocompaction,
  type RecordedOpaque,
  type RecordedPart,
  type RecordedPosition,
  type RecordedSession,
  type RecordedText,
  type RecordedThinking,
  type RecordedToolCall,
  type RecordedToolResult,
  type RecordedUsage,
} from "./transcripts/readers/recorded.ts";
export { SeveralSessionsError, UnknownTranscriptError } from "./transcripts/readers/transcript-errors.ts";
export type { UserHome } from "./transcripts/readers/transcript-places.ts";
