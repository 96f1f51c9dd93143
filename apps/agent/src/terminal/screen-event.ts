import type { NewContent, QueryEvent, SessionEvent } from "palimpsest";
import type { EventOwner } from "../agent/agent.ts";
import type { Dialog, DialogAnswer } from "../extension/slash-command.ts";
import type { TranscriptEntry } from "../workspace/read-transcript.ts";
import type { Key } from "./prompt/editor.ts";
import type { Item, QueuedInput, ScreenState, Status } from "./state.ts";
import type { WatchedResult } from "./watch-tools.ts";

/** A message of the user: the text as it stood in the prompt, and the content that is sent. */
export interface UserMessage {
  readonly text: string;
  /** The text with its pastes, as the conversation shows it. */
  readonly shown: string;
  readonly content: readonly NewContent[];
}

/** A message that waits for the next request, or a command that waits for the end of the turn. */
export type WaitingInput = UserMessage | { readonly text: string };

/** An input of the screen: a key, a result, a change of the session. */
export type ScreenEvent =
  | { readonly kind: "key"; readonly key: Key; readonly atMs: number }
  | { readonly kind: "pasted"; readonly text: string; readonly atMs: number }
  | { readonly kind: "resized"; readonly columns: number; readonly rows: number }
  | { readonly kind: "tick"; readonly nowMs: number }
  /** A message is ready to be sent. */
  | { readonly kind: "message"; readonly message: UserMessage }
  /** The user does not send a message after all, or its turn could not begin: it returns to the prompt. */
  | { readonly kind: "message-returned"; readonly text: string }
  /** The conversation is to be compacted before a message is sent. */
  | { readonly kind: "compact-first"; readonly message: UserMessage }
  /** A turn is to start now. Without a message, the model continues from the current state. */
  | { readonly kind: "turn-requested"; readonly message?: UserMessage }
  | { readonly kind: "turn-started"; readonly said: readonly string[] }
  | { readonly kind: "query"; readonly event: QueryEvent }
  | { readonly kind: "turn-over" }
  /** Mail arrived for this session. */
  | { readonly kind: "mail" }
  /** The agents that ran between two turns have ended, or a report of one is waiting. */
  | { readonly kind: "agents-idle"; readonly found: "waiting" | "nothing-runs" }
  /** A slash command, or a shell command after `!`. @param when whether it can run during a turn */
  | { readonly kind: "command-entered"; readonly text: string; readonly when: "always" | "idle" }
  | { readonly kind: "command-started" }
  /** `message`: to be sent after the command. `counts`: whether the command was a step of the tour. */
  | { readonly kind: "command-ended"; readonly message?: UserMessage; readonly counts: "tour-step" | "no-step" }
  /** The user ended a turn by leaving a question. */
  | { readonly kind: "stop-requested" }
  /** Something that the status line shows has changed. */
  | { readonly kind: "changed" }
  | { readonly kind: "session-closing" }
  | { readonly kind: "session-opened"; readonly by: "start" | "command" }
  | { readonly kind: "session"; readonly event: SessionEvent; readonly owner?: EventOwner }
  /** The output so far of a running tool. */
  | { readonly kind: "tool-output"; readonly callId: string; readonly text: string }
  /** The whole output, or as much as the screen shows. */
  | ({ readonly kind: "tool-result"; readonly callId: string } & WatchedResult)
  | { readonly kind: "hook"; readonly name: string; readonly state: "started" | "ended" }
  /** What waits, after a change. */
  | { readonly kind: "queue"; readonly queued: readonly QueuedInput[] }
  /** Waiting messages are part of the conversation now. */
  | { readonly kind: "taken"; readonly said: readonly string[] }
  | { readonly kind: "printed"; readonly items: readonly Item[] }
  /** Nobody asked for it: it waits for the end of a paragraph. */
  | { readonly kind: "noticed"; readonly items: readonly Item[] }
  | { readonly kind: "status"; readonly status: Status; readonly background: ScreenState["background"] }
  | { readonly kind: "commands"; readonly commands: ScreenState["commands"] }
  | { readonly kind: "asked"; readonly id: number; readonly dialog: Dialog }
  /** A question was drawn. */
  | { readonly kind: "dialog-drawn"; readonly id: number; readonly depth: number; readonly atMs: number }
  /** The question was withdrawn. */
  | { readonly kind: "unasked"; readonly id: number }
  | { readonly kind: "busy"; readonly with: string }
  | { readonly kind: "progressed"; readonly with: string }
  | { readonly kind: "free" }
  | { readonly kind: "transcript-requested" }
  | { readonly kind: "transcript-read"; readonly entries: readonly TranscriptEntry[]; readonly said?: string }
  | { readonly kind: "files-found"; readonly files: readonly string[] }
  /** Puts a text into the prompt. `above`: what is being typed stays below it. @default it replaces what is there */
  | { readonly kind: "prompted"; readonly text: string; readonly place?: "above" }
  | { readonly kind: "cleared" };

/** An action that the app carries out for the screen. */
export type Effect =
  | { readonly kind: "submit"; readonly text: string }
  /** Begins a turn with a message. After a long pause, asks first. */
  | { readonly kind: "begin-turn"; readonly message: UserMessage }
  | { readonly kind: "start-turn"; readonly message?: UserMessage }
  | { readonly kind: "enqueue"; readonly input: WaitingInput }
  /** `from`: whether the command waited. `message`: to be sent after the command. */
  | { readonly kind: "run-command"; readonly text: string; readonly from?: "queue"; readonly message?: UserMessage }
  /** Reads the status, and waits for agents that run between two turns. */
  | { readonly kind: "await-agents" }
  | { readonly kind: "hear-mail" }
  | { readonly kind: "keep-warm" }
  | { readonly kind: "tour-next" }
  | { readonly kind: "read-status" }
  | { readonly kind: "show-boundary" }
  /** Stops the turn, or the user's command. */
  | { readonly kind: "stop" }
  | { readonly kind: "answer"; readonly id: number; readonly answer: DialogAnswer }
  /** Takes a waiting message back. */
  | { readonly kind: "withdraw"; readonly id: number; readonly to: "prompt" | "nowhere" }
  | { readonly kind: "move-queued"; readonly id: number; readonly by: 1 | -1 }
  | { readonly kind: "open-transcript" }
  | { readonly kind: "close-transcript" }
  | { readonly kind: "undo"; readonly boundary: number }
  | { readonly kind: "find-files" }
  /** Opens the text of the prompt in the user's editor. */
  | { readonly kind: "edit-outside"; readonly text: string }
  | { readonly kind: "next-mode" }
  | { readonly kind: "next-effort" }
  /** Lets the running command go on in the background. */
  | { readonly kind: "background" }
  /** Stops the program until the shell continues it. */
  | { readonly kind: "pause" }
  | { readonly kind: "redraw" }
  | { readonly kind: "leave" };

/** The effect of this kind. */
export type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { readonly kind: Kind }>;

export interface Step {
  readonly state: ScreenState;
  readonly effects: readonly Effect[];
}

export function step(state: ScreenState, ...effects: readonly Effect[]): Step {
  return { state, effects };
}
