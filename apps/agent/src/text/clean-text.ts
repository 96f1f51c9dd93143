import { harmless } from "./harmless.ts";

const TAB = "    ";

/** Text as it can stand on a screen: no command for the terminal is left in it, and tabs have a width. */
export function cleanText(text: string): string {
  return harmless(text).replaceAll("\t", TAB);
}
