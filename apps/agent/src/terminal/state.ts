import type { CompactionPoint, CompactionTrigger } from "palimpsest/core";
import type { BackgroundTask } from "../extension/extension.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { MarkdownState } from "../text/markdown.ts";
import type { DialogState } from "./dialogs/dialog-state.ts";
import { type Editor, EMPTY_EDITOR } from "./editor.ts";
import type { Item } from "./item.ts";
import type { TranscriptState } from "./transcript/transcript-state.ts";

/** All that the screen shows. It changes by `update` alone. */
export interface ScreenState {
  readonly columns: number;
  readonly rows: number;
  /** `plain`: lines without frames and moving parts, for screen readers. */
  readonly style: "full" | "plain";
  readonly nowMs: number;
  /** What is finished, in order. It goes to the terminal's scrollback once, and is never drawn again. */
  readonly items: readonly Item[];
  readonly turn?: Turn;
  readonly compaction?: RunningCompaction;
  /** Hooks that run now, by their names. */
  readonly hooks: readonly string[];
  /** What a command of the user is busy with. */
  readonly activity?: string;
  readonly editor: Editor;
  /** Large pastes that stand in the editor as a word. */
  readonly pastes: readonly string[];
  readonly history: PromptHistory;
  /** What was said while the model works, and waits for its next request. */
  readonly queued: readonly string[];
  /** The first is shown. */
  readonly dialogs: readonly DialogState[];
  readonly transcript?: TranscriptState;
  readonly status?: Status;
  readonly todos: readonly Todo[];
  readonly background: readonly BackgroundTask[];
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  /** Files of the project, for completion; they are looked for when the first `@` is typed. */
  readonly files: readonly string[] | "unknown";
  readonly suggestion: { readonly at: number; readonly closedFor?: string };
  /** The key that means more when it is pressed again. */
  readonly armed?: "escape" | "interrupt";
}

/** A compaction, from its start to its end. */
interface RunningCompaction {
  readonly trigger: CompactionTrigger;
  readonly startedAtMs: number;
  readonly phase: string;
  readonly receivedCharacters: number;
}

/** One turn of the model, as far as it is not finished. */
export interface Turn {
  readonly startedAtMs: number;
  readonly phase: string;
  readonly state: "running" | "stopping";
  readonly answer: OpenAnswer;
  readonly receivedCharacters: number;
  readonly tools: readonly RunningTool[];
}

/** The end of an answer that has no line break yet; the lines before it are items. */
export interface OpenAnswer {
  readonly pending: string;
  readonly markdown: MarkdownState;
  /** How many lines of it are items already. */
  readonly lines: number;
}

export interface RunningTool {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly startedAtMs: number;
  /** The newest of what it has put out. */
  readonly tail: string;
  readonly result?: string;
}

export interface Todo {
  readonly content: string;
  readonly state: "open" | "doing" | "done";
}

export interface PromptHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** Which of them is shown; the number of them, if none is. */
  readonly at: number;
  /** What was typed before looking back. */
  readonly draft: string;
}

export interface Status {
  readonly tokens: number;
  readonly percentLeft: number;
  readonly level: "ok" | "warning" | "error" | "blocked";
  /** Where the conversation is compacted next. */
  readonly compaction: CompactionPoint;
  readonly priceUsd: number;
  /** `estimated`: a part of it is, because an answer was interrupted. */
  readonly price: "exact" | "estimated";
  readonly cache: "warm" | "cold" | "new";
  readonly coldAtMs?: number;
  readonly mode: PermissionMode;
  readonly model: string;
}

export const NO_ANSWER: OpenAnswer = { pending: "", markdown: {}, lines: 0 };

export function startState(
  given: Pick<ScreenState, "columns" | "rows" | "style" | "nowMs" | "commands"> & {
    readonly history: readonly string[];
  },
): ScreenState {
  const { history, ...rest } = given;
  return {
    ...rest,
    items: [],
    editor: EMPTY_EDITOR,
    pastes: [],
    queued: [],
    dialogs: [],
    hooks: [],
    todos: [],
    background: [],
    files: "unknown",
    suggestion: { at: 0 },
    history: { entries: history, at: history.length, draft: "" },
  };
}
