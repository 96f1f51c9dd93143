/**
 * An entry of another agent's session, in one form for all agents. A reader turns lines of a transcript into a stream
 * of these entries, in the order of the file. Nothing is estimated: a figure that the file does not have is absent.
 */
export type RecordedEntry =
  | RecordedSession
  | RecordedMessage
  | RecordedUsage
  | RecordedCompaction
  | RecordedMicrocompaction
  | RecordedDamage;

/** The agents whose transcripts can be read. */
export const RECORDED_AGENTS = ["claude-code", "codex", "pi", "gemini", "qwen", "opencode", "cline", "proxy"] as const;

/** An agent whose transcripts can be read. */
export type RecordedAgent = (typeof RECORDED_AGENTS)[number];

/** At most one per transcript, before the first message. */
export interface RecordedSession {
  kind: "session";
  agent: RecordedAgent;
  id: string;
  startedAtMs: number;
  /** The version of the agent; for pi, cline and our proxy, which do not record one, of the file format. */
  version?: string;
  cwd?: string;
  /** The session this one was forked from or spawned by: an id, for pi a path. */
  parentSession?: string;
}

/**
 * The context window that an entry belongs to. `main`: this session's. `sidechain`: that of a subagent recorded in the
 * same file. `inherited`: this session's too, but copied from its parent, where it was paid for; times may be those of
 * the copying.
 */
export type RecordedBranch = "main" | "sidechain" | "inherited";

/**
 * The position of an entry. Following `parentId` gives the order within a branch and shows rewinds (two entries with
 * one parent). It is not a complete thread: of parallel tool calls, only the last result is on the path to the newest
 * message, and a parent may come later in the file or be missing.
 */
export interface RecordedPosition {
  id: string;
  parentId?: string;
  branch: RecordedBranch;
  /** The time of the line; if it is unreadable, of the line before. */
  atMs: number;
}

/** One line of the conversation. One response is one or more messages that share a `responseId`. */
export interface RecordedMessage extends RecordedPosition {
  kind: "message";
  role: "user" | "assistant" | "system";
  /**
   * The author. `agent`: text that the agent inserted itself, such as reminders, command output, attachments and error
   * notes.
   */
  origin: "human" | "model" | "tool" | "agent" | "summary";
  /** Empty when a response was interrupted before its first block. */
  blocks: readonly RecordedBlock[];
  /** The provider's id of the response. If none is recorded, a generated one that is stable for the file. */
  responseId?: string;
  model?: string;
}

/** One part of a recorded message. */
export type RecordedBlock = RecordedPart | RecordedThinking | RecordedToolCall | RecordedToolResult;

/** A part of a tool result. */
export type RecordedPart = RecordedText | RecordedMedia | RecordedOpaque;

/** Text. */
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

/** A tool call. */
export interface RecordedToolCall {
  kind: "tool_call";
  callId: string;
  name: string;
  input: unknown;
}

/** The result of a tool call. */
export interface RecordedToolResult {
  kind: "tool_result";
  callId: string;
  /** The content that the model saw. */
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

/**
 * The usage of one response, once per response: after its first message, before the next response of the same branch.
 */
export interface RecordedUsage {
  kind: "usage";
  responseId: string;
  branch: RecordedBranch;
  atMs: number;
  model?: string;
  /** Input that was neither read from the cache nor written to it. */
  freshTokens: number;
  cacheReadTokens: number;
  /** Absent if the agent does not record it. */
  cacheWriteTokens?: number;
  /** The part of `cacheWriteTokens` with a time to live of one hour; absent if it is not recorded. */
  cacheWrite1hTokens?: number;
  outputTokens: number;
  /** `provisional`: a count from before the end of the response, often from its start; do not add it up. */
  outputCount: "final" | "provisional";
  /** The part of `outputTokens` spent on reasoning. */
  reasoningTokens?: number;
  /** The model's window, as the agent saw it. */
  windowTokens?: number;
  /** The parts before the messages that the request before had otherwise; absent if requests are not recorded. */
  promptChanges?: readonly PromptPart[];
  /** The sizes of what stood before the messages; absent if requests are not recorded. */
  head?: RecordedHead;
  /** The cost in US dollars by the agent's own calculation; absent if the agent records none, or had no price. */
  costUsd?: number;
}

/** What stands before the messages of a request, by size. */
export interface RecordedHead {
  readonly systemBytes: number;
  readonly tools: readonly { readonly name: string; readonly bytes: number }[];
}

export const PROMPT_PARTS = ["tools", "system", "parameters"] as const;
export type PromptPart = (typeof PROMPT_PARTS)[number];

/**
 * A compaction: a summary replaced earlier messages. The summary is the message of origin `summary` whose parent is
 * this entry, or, if `kept` is a replacement, is part of it. Only opencode records the call that wrote the summary: its
 * usage is on the branch `sidechain`, since it had a prompt of its own.
 */
export interface RecordedCompaction extends RecordedPosition {
  kind: "compaction";
  trigger: "auto" | "manual" | "unknown";
  tokensBefore?: number;
  tokensAfter?: number;
  kept: RecordedKept;
}

/** The messages before a compaction that the model still saw, besides the summary. */
export type RecordedKept =
  | { kind: "nothing" }
  /**
   * From the first to the last id, or to the compaction. Later messages may have parents among these, not below the
   * compaction.
   */
  | { kind: "range"; firstId: string; lastId?: string }
  | { kind: "listed"; ids: readonly string[] }
  /** All messages that the model saw then, including the summary; instructions did not change. */
  | { kind: "replacement"; messages: readonly RecordedMessage[] }
  | { kind: "unrecorded" };

/** Results of these calls were replaced by stubs. */
export interface RecordedMicrocompaction extends RecordedPosition {
  kind: "microcompaction";
  clearedCallIds: readonly string[];
  tokensBefore?: number;
  tokensSaved?: number;
}

/** A line that could not be read; reading continued after it. */
export interface RecordedDamage {
  kind: "damage";
  /** The line number, from one; for elements of a list, files or rows, the number of the record. */
  line: number;
  /** `malformed`: valid JSON, without what its type promises. `cut-off`: the file is broken from here on. */
  reason: "not-json" | "not-an-object" | "malformed" | "too-long" | "cut-off";
}
