import type { Line } from "../text/line.ts";

/** A question to the person at the screen. What does not fit the screen scrolls. */
export interface Dialog {
  readonly title: string;
  /** What the question is about, in words. */
  readonly body: readonly Line[];
  /** What is to be judged letter by letter: a command, a change, fields. It stands after the body. @default nothing */
  readonly exact?: readonly ExactLine[];
  readonly options: readonly Option[];
  /** @default "one" */
  readonly choose?: "one" | "several";
  /** The label of a free-text answer. @default no free-text answer */
  readonly words?: string;
  /** The text that a free-text answer begins with, to be changed. @default none */
  readonly draft?: string;
  /** `searched`: typing filters the options. @default "all" */
  readonly shown?: "all" | "searched";
  /** What Escape does, as in "denies". @default "leaves" */
  readonly escapeDoes?: string;
}

/** A line of which every letter counts: where it is wrapped, no space is dropped, and only its first row has the lead. */
export interface ExactLine {
  /** What stands before it: a line number, the name of a field. */
  readonly lead: Line;
  readonly text: Line;
}

/** One option of a dialog. */
export interface Option {
  readonly value: string;
  readonly label: string;
  readonly about?: string;
  /** `all-seen`: it can be chosen once the end of the body has been on the screen. @default at once */
  readonly from?: "all-seen";
  /** A second question. Its answer is the answer; Escape leads back to the first. @default the option is the answer */
  readonly asks?: Dialog;
}

/** What a person answered: options, words of their own, or nothing. */
export type DialogAnswer =
  | { readonly kind: "chosen"; readonly values: readonly string[] }
  | { readonly kind: "words"; readonly text: string }
  /** The person pressed escape. */
  | { readonly kind: "left" };
