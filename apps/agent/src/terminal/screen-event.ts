import type { QueryEvent, SessionEvent } from "palimpsest";
import type { EventOwner } from "../agent/event-owner.ts";
import type { Dialog, DialogAnswer } from "../extension/dialog.ts";
import type { TranscriptEntry } from "../workspace/read-transcript.ts";
import type { Item } from "./item.ts";
import type { Key } from "./key.ts";
import type { ScreenState, Status } from "./state.ts";

/** What the screen is told. */
export type ScreenEvent =
  | { readonly kind: "key"; readonly key: Key }
  | { readonly kind: "pasted"; readonly text: string }
  | { readonly kind: "resized"; readonly columns: number; readonly rows: number }
  | { readonly kind: "tick"; readonly nowMs: number }
  | { readonly kind: "turn-started"; readonly said: readonly string[] }
  | { readonly kind: "query"; readonly event: QueryEvent }
  | { readonly kind: "turn-over" }
  | { readonly kind: "session"; readonly event: SessionEvent; readonly owner?: EventOwner }
  /** While it runs. */
  | { readonly kind: "tool-output"; readonly callId: string; readonly text: string }
  /** All of it, or as much as is worth showing. */
  | { readonly kind: "tool-result"; readonly callId: string; readonly text: string }
  | { readonly kind: "hook"; readonly name: string; readonly state: "started" | "ended" }
  | { readonly kind: "queued"; readonly text: string }
  | { readonly kind: "printed"; readonly items: readonly Item[] }
  | { readonly kind: "status"; readonly status: Status; readonly background: ScreenState["background"] }
  | { readonly kind: "commands"; readonly commands: ScreenState["commands"] }
  | { readonly kind: "asked"; readonly id: number; readonly dialog: Dialog }
  /** Nobody waits for the answer any more. */
  | { readonly kind: "unasked"; readonly id: number }
  | { readonly kind: "busy"; readonly with: string }
  | { readonly kind: "free" }
  | { readonly kind: "transcript-read"; readonly entries: readonly TranscriptEntry[]; readonly said?: string }
  | { readonly kind: "files-found"; readonly files: readonly string[] }
  /** A text is put where the user types. */
  | { readonly kind: "prompted"; readonly text: string }
  | { readonly kind: "cleared" };

/** What is to be done because of it. */
export type Effect =
  | { readonly kind: "submit"; readonly text: string }
  /** What is running is to stop: the turn, or a command of the user. */
  | { readonly kind: "stop" }
  | { readonly kind: "answer"; readonly id: number; readonly answer: DialogAnswer }
  | { readonly kind: "open-transcript" }
  | { readonly kind: "close-transcript" }
  | { readonly kind: "undo"; readonly boundary: number }
  | { readonly kind: "find-files" }
  | { readonly kind: "next-mode" }
  | { readonly kind: "redraw" }
  | { readonly kind: "leave" };

export interface Step {
  readonly state: ScreenState;
  readonly effects: readonly Effect[];
}

export function step(state: ScreenState, ...effects: readonly Effect[]): Step {
  return { state, effects };
}
