/** `palimpsest/import`: readers of other agents' transcripts. */
export { readClaudeCode } from "./read-claude-code.ts";
export { readCodex } from "./read-codex.ts";
export { DEFAULT_READ_LINES, type ReadLinesOptions, readLines, type TranscriptLine } from "./read-lines.ts";
export { readPi } from "./read-pi.ts";
export { readTranscript } from "./read-transcript.ts";
export type {
  RecordedAgent,
  RecordedBlock,
  RecordedBranch,
  RecordedCompaction,
  RecordedDamage,
  RecordedEntry,
  RecordedKept,
  RecordedMedia,
  RecordedMessage,
  RecordedMicrocompaction,
  RecordedOpaque,
  RecordedPart,
  RecordedPosition,
  RecordedSession,
  RecordedText,
  RecordedThinking,
  RecordedToolCall,
  RecordedToolResult,
  RecordedUsage,
} from "./recorded.ts";
export { UnknownTranscriptError } from "./unknown-transcript-error.ts";
