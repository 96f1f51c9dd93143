/**
 * What another agent wrote down of a session, in words that fit all of them. A reader turns lines of a transcript into a
 * stream of these entries, in the order of the file. Nothing is estimated: a figure the file does not have is absent.
 */
export type RecordedEntry =
  | RecordedSession
  | RecordedMessage
  | RecordedUsage
  | RecordedCompaction
  | RecordedMicrocompaction
  | RecordedDamage;

export const RECORDED_AGENTS = ["claude-code", "codex", "pi", "gemini", "qwen", "opencode", "cline"] as const;

export type RecordedAgent = (typeof RECORDED_AGENTS)[number];

/** At most one per transcript, before the first message. */
export interface RecordedSession {
  kind: "session";
  agent: RecordedAgent;
  id: string;
  startedAtMs: number;
  /** Of the agent; of the file format for pi and cline, which do not record their own. */
  version?: string;
  cwd?: string;
  /** The session this one was forked from or spawned by: an id, for pi a path. */
  parentSession?: string;
}

/**
 * Whose window an entry belongs to. `main`: this session's. `sidechain`: that of a subagent recorded in the same file.
 * `inherited`: this session's too, but copied from its parent, where it was paid for; times may be those of the copying.
 */
export type RecordedBranch = "main" | "sidechain" | "inherited";

/**
 * Where an entry stands. Following `parentId` gives the order within a branch and shows rewinds (two entries with one
 * parent). It is not a complete thread: of parallel tool calls, only the last result lies on the path to the newest
 * message, and a parent may stand later in the file or be missing from it.
 */
export interface RecordedPosition {
  id: string;
  parentId?: string;
  branch: RecordedBranch;
  /** Of the line; where it has no readable time, of the line before it. */
  atMs: number;
}

/** One line of the conversation. One response is one or more messages that share a `responseId`. */
export interface RecordedMessage extends RecordedPosition {
  kind: "message";
  role: "user" | "assistant" | "system";
  /** Who wrote it; `agent` is text the agent put in by itself: reminders, command output, attachments, error notes. */
  origin: "human" | "model" | "tool" | "agent" | "summary";
  /** Empty when a response was interrupted before its first block. */
  blocks: readonly RecordedBlock[];
  /** The provider's id of the response, or a made-up one, stable for the file, where none is recorded. */
  responseId?: string;
  model?: string;
}

export type RecordedBlock = RecordedPart | RecordedThinking | RecordedToolCall | RecordedToolResult;

/** What can stand in a tool result. */
export type RecordedPart = RecordedText | RecordedMedia | RecordedOpaque;

export interface RecordedText {
  kind: "text";
  text: string;
}

/** Text may be empty: newer transcripts keep only the signature, Codex only encrypted reasoning (given as signature). */
export interface RecordedThinking {
  kind: "thinking";
  text: string;
  signature?: string;
}

export interface RecordedToolCall {
  kind: "tool_call";
  callId: string;
  name: string;
  input: unknown;
}

export interface RecordedToolResult {
  kind: "tool_result";
  callId: string;
  /** What the model saw. */
  content: string | readonly RecordedPart[];
  status: "ok" | "error" | "unknown";
}

/** The bytes themselves are not kept. */
export interface RecordedMedia {
  kind: "image" | "document";
  mediaType: string;
  sizeBytes: number;
}

/** Anything else the model may have seen, as recorded. */
export interface RecordedOpaque {
  kind: "opaque";
  type: string;
  value: unknown;
}

/** What one response used, once per response: after its first message, before the next response of the same branch. */
export interface RecordedUsage {
  kind: "usage";
  responseId: string;
  branch: RecordedBranch;
  atMs: number;
  model?: string;
  /** Input that was neither read from the cache nor written to it. */
  freshTokens: number;
  cacheReadTokens: number;
  /** Absent where the agent records no such figure. */
  cacheWriteTokens?: number;
  /** The part of `cacheWriteTokens` with a time to live of one hour; absent where that is not recorded. */
  cacheWrite1hTokens?: number;
  outputTokens: number;
  /** `provisional`: a count from before the end of the response, often from its start; do not add it up. */
  outputCount: "final" | "provisional";
  /** The part of `outputTokens` spent on reasoning. */
  reasoningTokens?: number;
  /** The model's window, as the agent saw it. */
  windowTokens?: number;
  /** What the agent reckoned that it cost, in US dollars; absent where it does not say, or says nothing for want of a price. */
  costUsd?: number;
}

/**
 * Earlier messages were replaced by a summary. The summary is the message of origin `summary` whose parent is this entry,
 * or, if `kept` is a replacement, stands in it. The call that wrote the summary is recorded by opencode alone: what it used
 * is on the branch `sidechain`, since it had a prompt of its own.
 */
export interface RecordedCompaction extends RecordedPosition {
  kind: "compaction";
  trigger: "auto" | "manual" | "unknown";
  tokensBefore?: number;
  tokensAfter?: number;
  kept: RecordedKept;
}

/** What the model went on seeing of the messages before a compaction, besides the summary. */
export type RecordedKept =
  | { kind: "nothing" }
  /** From the first to the last id, or to the compaction. Later messages may hang below them, not below the compaction. */
  | { kind: "range"; firstId: string; lastId?: string }
  | { kind: "listed"; ids: readonly string[] }
  /** All messages that the model saw then, the summary among them; instructions stay as they were. */
  | { kind: "replacement"; messages: readonly RecordedMessage[] }
  | { kind: "unrecorded" };

/** Results of these calls were replaced by stubs. */
export interface RecordedMicrocompaction extends RecordedPosition {
  kind: "microcompaction";
  clearedCallIds: readonly string[];
  tokensBefore?: number;
  tokensSaved?: number;
}

/** A line that could not be read; the lines after it are. */
export interface RecordedDamage {
  kind: "damage";
  /** Counted from one; of a transcript that has no lines, but elements of a list, files or rows: the number of the record. */
  line: number;
  /** `malformed`: valid JSON, without what its type promises. `cut-off`: the file is broken from here on. */
  reason: "not-json" | "not-an-object" | "malformed" | "too-long" | "cut-off";
}
