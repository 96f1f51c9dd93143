import type { TextDiff } from "../text/diff-lines.ts";
import type { Line } from "../text/line.ts";
import type { MarkdownBlock } from "../text/markdown.ts";

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
