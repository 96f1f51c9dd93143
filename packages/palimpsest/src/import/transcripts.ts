/** `palimpsest/import`: readers of other agents' transcripts. */
export { findAgentTranscripts, findTranscripts } from "./find-transcripts.ts";
export { readClaudeCode } from "./read-claude-code.ts";
export { readCodex } from "./read-codex.ts";
export { DEFAULT_READ_LINES, type ReadLinesOptions, readLines, type TranscriptLine } from "./read-lines.ts";
export { readPi } from "./read-pi.ts";
export { readTranscript, type TranscriptReference, type TranscriptSource } from "./read-transcript.ts";
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
} from "./recorded.ts";
export { SeveralSessionsError, UnknownTranscriptError } from "./transcript-errors.ts";
export type { Home } from "./transcript-places.ts";
