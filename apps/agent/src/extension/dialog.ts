import type { Line } from "../text/line.ts";

/** A question to the person at the screen. */
export interface Dialog {
  readonly title: string;
  /** The explanation below the title. */
  readonly body: readonly Line[];
  readonly options: readonly Option[];
  /** @default "one" */
  readonly choose?: "one" | "several";
  /** The label of a free-text answer. @default no free-text answer */
  readonly words?: string;
  /** `searched`: typing filters the options. @default "all" */
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
  /** The person pressed escape. */
  | { readonly kind: "left" };
