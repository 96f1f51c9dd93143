import { sanitize } from "palimpsest/sanitize";

const TAB = "    ";

/** Makes text safe for the screen: as it passes the gate, with tabs as spaces. */
export function cleanText(text: string): string {
  return sanitize(text).replaceAll("\t", TAB);
}
