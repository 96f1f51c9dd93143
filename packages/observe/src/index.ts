/** `@palimpsest/transcripts`: reads transcripts of other agents, and imports their sessions. */

export { type ImportedSession, type ImportSessionOptions, importSession } from "./import/import-session.ts";
export { describeTranscript, type TranscriptDescription } from "./readers/describe-transcript.ts";
export { findAgentTranscripts, findTranscripts } from "./readers/find-transcripts.ts";
export { isOfFolder } from "./readers/is-of-folder.ts";
export { readClaudeCode } from "./readers/read-claude-code.ts";
export { readCodex } from "./readers/read-codex.ts";
export { DEFAULT_READ_LINES, type ReadLinesOptions, readLines, type TranscriptLine } from "./readers/read-lines.ts";
export { readPi } from "./readers/read-pi.ts";
export { readTranscript, type TranscriptReference, type TranscriptSource } from "./readers/read-transcript.ts";
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
} from "./readers/recorded.ts";
export { SeveralSessionsError, UnknownTranscriptError } from "./readers/transcript-errors.ts";
export type { UserHome } from "./readers/transcript-places.ts";
