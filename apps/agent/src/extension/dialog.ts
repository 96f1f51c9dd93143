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
