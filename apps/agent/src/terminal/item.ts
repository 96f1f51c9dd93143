import type { TextDiff } from "../text/diff-lines.ts";
import type { Line } from "../text/line.ts";

/** A finished item: it is written to the scrollback once and not drawn again. */
export type Item =
  | { readonly kind: "you"; readonly text: string }
  /** One line of an answer; the first line has the sign of the model. */
  | { readonly kind: "answer"; readonly lead: Line; readonly hang: Line; readonly line: Line; readonly first: boolean }
  | ToolItem
  /** The output of commands and notices. */
  | { readonly kind: "lines"; readonly lines: readonly Line[] };

export interface ToolItem {
  readonly kind: "tool";
  readonly name: string;
  readonly input: unknown;
  readonly outcome: "ok" | "error" | "denied" | "stopped";
  readonly output: string;
  /** What it has changed in a file. */
  readonly diff?: TextDiff;
}
