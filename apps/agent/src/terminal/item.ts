import type { Line } from "../text/line.ts";

/** Something finished: it is written to the scrollback and not drawn again. */
export type Item =
  | { readonly kind: "you"; readonly text: string }
  /** One line of an answer; the first has the sign of who speaks. */
  | { readonly kind: "answer"; readonly lead: Line; readonly hang: Line; readonly line: Line; readonly first: boolean }
  | ToolItem
  /** What commands and notices say. */
  | { readonly kind: "lines"; readonly lines: readonly Line[] };

export interface ToolItem {
  readonly kind: "tool";
  readonly name: string;
  readonly input: unknown;
  readonly outcome: "ok" | "error" | "denied" | "stopped";
  readonly output: string;
}
