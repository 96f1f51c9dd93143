import { harmless } from "./harmless.ts";

const TAB = "    ";

/** Makes text safe for the screen: removes terminal escape sequences, and expands tabs. */
export function cleanText(text: string): string {
  return harmless(text).replaceAll("\t", TAB);
}
