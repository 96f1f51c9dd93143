import { type Editor, EMPTY_EDITOR } from "../terminal/editor.ts";
import type { Line } from "../text/line.ts";

/** A question to whoever sits before the screen. */
export interface Dialog {
  readonly title: string;
  /** What it is about. */
  readonly body: readonly Line[];
  readonly options: readonly Option[];
  /** @default "one" */
  readonly choose?: "one" | "several";
  /** An answer in own words is possible, behind this label. @default it is not */
  readonly words?: string;
  /** What is typed narrows the options down. @default "all" */
  readonly shown?: "all" | "searched";
}

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly about?: string;
}

export type DialogAnswer =
  | { readonly kind: "chosen"; readonly values: readonly string[] }
  | { readonly kind: "words"; readonly text: string }
  /** Escape. */
  | { readonly kind: "left" };

export interface DialogState extends Dialog {
  readonly id: number;
  /** Which option, of those that are shown; the one behind the last is the answer in own words. */
  readonly at: number;
  readonly ticked: readonly string[];
  /** Own words, or what is searched for. */
  readonly typed: Editor;
}

export function openDialog(id: number, dialog: Dialog): DialogState {
  return { ...dialog, id, at: 0, ticked: [], typed: EMPTY_EDITOR };
}

/** The options that fit what was typed. */
export function shownOptions({ options, shown, typed }: DialogState): readonly Option[] {
  const words = typed.characters.join("").toLowerCase().split(/\s+/).filter(Boolean);
  if (shown !== "searched" || words.length === 0) return options;
  return options.filter(({ label, about = "" }) => {
    const text = `${label} ${about}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
