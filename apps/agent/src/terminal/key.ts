import type { Key as InkKey } from "ink";
import { charactersOf } from "../text/width.ts";

/** A pressed key, or typed text. */
export interface Key {
  readonly name: KeyName;
  /** The text to insert, for `text`; the letter, for `ctrl` and `meta`. */
  readonly text: string;
  readonly held: "nothing" | "ctrl" | "meta" | "shift";
  /** `together`: it came with other letters at once, as a paste does. @default alone */
  readonly came?: "together";
}

export type KeyName =
  | "text"
  | "return"
  | "escape"
  | "tab"
  | "backspace"
  | "delete"
  | "up"
  | "down"
  | "left"
  | "right"
  | "page-up"
  | "page-down"
  | "home"
  | "end";

const NAMES: readonly (readonly [keyof InkKey, KeyName])[] = [
  ["return", "return"],
  ["escape", "escape"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "page-up"],
  ["pageDown", "page-down"],
  ["home", "home"],
  ["end", "end"],
];

/** Converts terminal input to keys. Several letters that arrive together may end with a return. */
export function toKeys(input: string, key: InkKey): readonly Key[] {
  const held = key.ctrl ? "ctrl" : key.meta ? "meta" : key.shift ? "shift" : "nothing";
  const name = NAMES.find(([field]) => key[field] === true)?.[1];
  // Ink reports escape with a held meta key.
  if (name !== undefined) return [{ name, text: "", held: name === "escape" ? "nothing" : held }];
  if (input === "\n" && held !== "ctrl") return [{ name: "text", text: "\n", held: "nothing" }];
  if (input.length > 1 && /^[^\r\n]+\r$/.test(input)) {
    return [
      { name: "text", text: input.slice(0, -1), held, came: "together" },
      { name: "return", text: "", held: "nothing", came: "together" },
    ];
  }
  if (input === "") return [];
  // What ctrl-_ and ctrl-/ send.
  if (input === "\u001f") return [{ name: "text", text: "_", held: "ctrl" }];
  const came = charactersOf(input).length > 1 ? { came: "together" as const } : {};
  return [{ name: "text", text: input.replaceAll("\r", "\n"), held, ...came }];
}
