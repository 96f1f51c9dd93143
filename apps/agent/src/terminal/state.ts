import type { CompactionPoint } from "palimpsest";
import type { CompactionTrigger } from "palimpsest/inspect";
import type { Effort } from "palimpsest/provider-parts";
import type { BackgroundTask } from "../extension/extension.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { TextDiff } from "../text/diff-lines.ts";
import type { Line } from "../text/line.ts";
import { MARKDOWN_START, type MarkdownBlock, type MarkdownState } from "../text/markdown.ts";
import type { DialogState, StandingDialog } from "./dialogs/dialog-state.ts";
import { type Editor, type Edits, EMPTY_EDITOR, NO_EDITS } from "./prompt/editor.ts";
import type { Paste } from "./prompt/pastes.ts";
import type { EarlierPrompts } from "./prompt/prompt-history.ts";
import type { TranscriptState } from "./transcript/transcript-state.ts";

/** Everything that the screen shows. Only `update` changes it. */
export interface ScreenState {
  readonly columns: number;
  readonly rows: number;
  /** `plain`: lines without frames and animations, for screen readers. */
  readonly style: "full" | "plain";
  readonly nowMs: number;
  /** Finished items, in order. Each goes to the terminal's scrollback once and is never drawn again. */
  readonly items: readonly Item[];
  readonly turn?: Turn;
  readonly compaction?: RunningCompaction;
  /** The names of the running hooks. */
  readonly hooks: readonly string[];
  /** The activity of the user's running command. */
  readonly activity?: string;
  readonly work: WorkState;
  readonly editor: Editor;
  readonly edits: Edits;
  /** The search in earlier messages (ctrl-r). */
  readonly search?: HistorySearch;
  /** Pasted texts of this session, for which words stand in the prompt. */
  readonly pastes: readonly Paste[];
  /** Those in messages of earlier sessions. */
  readonly earlierPastes: readonly Paste[];
  readonly history: PromptHistory;
  /** What the user sent while the agent worked: messages wait for the next request, commands for the end of the turn. */
  readonly queued: readonly QueuedInput[];
  /** The one of them that the keys are about, by its id. */
  readonly queueAt?: number;
  /** Open questions; the first one is shown. */
  readonly dialogs: readonly DialogState[];
  /** The first of them, once it was drawn. */
  readonly standing?: StandingDialog;
  readonly transcript?: TranscriptState;
  readonly status?: Status;
  readonly todos: readonly Todo[];
  readonly background: readonly BackgroundTask[];
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  /** Files of the project, for completion. They are listed when the first `@` is typed. */
  readonly files: readonly string[] | "unknown";
  readonly suggestion: { readonly at: number; readonly closedFor?: string };
  /** The key that does something else when it is pressed a second time. */
  readonly armed?: "escape" | "interrupt";
}

/** A search in the user's earlier messages, the newest first. */
interface HistorySearch {
  readonly typed: string;
  /** The place of the found message in the history; -1 if none fits. */
  readonly at: number;
}

/** What runs besides the turn. `update` decides with it what starts next. */
export interface WorkState {
  /** Commands of the user. They may wait for an answer. */
  readonly commands: number;
  /** The parts of them that work. */
  readonly activities: number;
  /** Whether a message is on its way to a turn. */
  readonly message: "none" | "begins";
  /** Nothing starts while a session is being closed. */
  readonly session: "open" | "closing";
}

export interface QueuedInput {
  readonly id: number;
  readonly text: string;
  /** @default a message */
  readonly kind?: "command";
}

/** A running compaction. */
interface RunningCompaction {
  readonly trigger: CompactionTrigger;
  readonly startedAtMs: number;
  readonly phase: string;
  readonly receivedCharacters: number;
}

/** The unfinished part of a turn. */
export interface Turn {
  readonly startedAtMs: number;
  readonly phase: string;
  readonly state: "running" | "stopping";
  readonly answer: OpenAnswer;
  readonly receivedCharacters: number;
  readonly tools: readonly RunningTool[];
  /** Notices that came in the middle of a paragraph, a list, a table or code. They follow it. */
  readonly held: readonly Item[];
}

/** The last, unfinished line of an answer; the lines before it are items, but for those of an unfinished table. */
export interface OpenAnswer {
  readonly pending: string;
  readonly markdown: MarkdownState;
  /** `inside`: the last item belongs to a paragraph, a list, a table or code that may go on. */
  readonly place: "between" | "inside";
  /** The number of its lines that are items already. */
  readonly lines: number;
}

export interface RunningTool {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly startedAtMs: number;
  /** The end of its output. */
  readonly tail: string;
  readonly result?: string;
  /** The number of lines of the whole result. */
  readonly resultLines?: number;
  /** What it has changed in a file. */
  readonly diff?: TextDiff;
}

export interface Todo {
  readonly content: string;
  readonly state: "open" | "doing" | "done";
}

interface PromptHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** The index of the shown message; the number of messages if none is shown. */
  readonly at: number;
  /** The text that was typed before the user went to earlier messages. */
  readonly draft: string;
}

export interface Status {
  readonly tokens: number;
  readonly percentLeft: number;
  readonly level: "ok" | "warning" | "error" | "blocked";
  /** When the conversation is compacted next. */
  readonly compaction: CompactionPoint;
  /** What the session cost, in words. */
  readonly price: string;
  readonly cache: "warm" | "cold" | "new";
  /** The part of the next request that a warm cache holds, from 0 to 1. */
  readonly cachedPart: number;
  readonly coldAtMs?: number;
  readonly mode: PermissionMode;
  readonly model: string;
  /** How much the model thinks. @default as the provider decides */
  readonly effort?: Effort;
}

export const NO_ANSWER: OpenAnswer = { pending: "", markdown: MARKDOWN_START, place: "between", lines: 0 };

/** The state of the screen before the first event. */
export function startState(
  given: Pick<ScreenState, "columns" | "rows" | "style" | "nowMs" | "commands"> & {
    readonly history: EarlierPrompts;
  },
): ScreenState {
  const { history, ...rest } = given;
  return {
    ...rest,
    items: [],
    editor: EMPTY_EDITOR,
    edits: NO_EDITS,
    pastes: [],
    earlierPastes: history.pastes,
    queued: [],
    work: { commands: 0, activities: 0, message: "none", session: "open" },
    dialogs: [],
    hooks: [],
    todos: [],
    background: [],
    files: "unknown",
    suggestion: { at: 0 },
    history: { entries: history.texts, at: history.texts.length, draft: "" },
  };
}

/** A finished item: it is written to the scrollback once and not drawn again. */
export type Item =
  | { readonly kind: "you"; readonly text: string }
  | AnswerItem
  | ToolItem
  /** The output of commands and notices. */
  | { readonly kind: "lines"; readonly lines: readonly Line[] };

/** One line or table of an answer; the first one has the sign of the model. */
export interface AnswerItem {
  readonly kind: "answer";
  readonly block: MarkdownBlock;
  readonly first: boolean;
}

export interface ToolItem {
  readonly kind: "tool";
  readonly name: string;
  readonly input: unknown;
  readonly outcome: "ok" | "error" | "denied" | "stopped";
  /** The beginning of the output, or all of it. */
  readonly output: string;
  /** The number of lines of the whole output. */
  readonly outputLines: number;
  /** What it has changed in a file. */
  readonly diff?: TextDiff;
}
