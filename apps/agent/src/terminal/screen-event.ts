import type { QueryEvent, SessionEvent } from "palimpsest";
import type { EventOwner } from "../agent/agent.ts";
import type { Dialog, DialogAnswer } from "../extension/slash-command.ts";
import type { TranscriptEntry } from "../workspace/read-transcript.ts";
import type { Key } from "./prompt/editor.ts";
import type { Item, QueuedInput, ScreenState, Status } from "./state.ts";
import type { WatchedResult } from "./watch-tools.ts";

/** An input of the screen: a key, a result, a change of the session. */
export type ScreenEvent =
  | { readonly kind: "key"; readonly key: Key; readonly atMs: number }
  | { readonly kind: "pasted"; readonly text: string; readonly atMs: number }
  | { readonly kind: "resized"; readonly columns: number; readonly rows: number }
  | { readonly kind: "tick"; readonly nowMs: number }
  | { readonly kind: "turn-started"; readonly said: readonly string[] }
  | { readonly kind: "query"; readonly event: QueryEvent }
  | { readonly kind: "turn-over" }
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
  | { readonly kind: "free" }
  | { readonly kind: "transcript-read"; readonly entries: readonly TranscriptEntry[]; readonly said?: string }
  | { readonly kind: "files-found"; readonly files: readonly string[] }
  /** Puts a text into the prompt. `above`: what is being typed stays below it. @default it replaces what is there */
  | { readonly kind: "prompted"; readonly text: string; readonly place?: "above" }
  | { readonly kind: "cleared" };

/** An action that the controller carries out for the screen. */
export type Effect =
  | { readonly kind: "submit"; readonly text: string }
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

export interface Step {
  readonly state: ScreenState;
  readonly effects: readonly Effect[];
}

export function step(state: ScreenState, ...effects: readonly Effect[]): Step {
  return { state, effects };
}
