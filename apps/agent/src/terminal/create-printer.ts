import { type Line, type Look, plainLines } from "../text/line.ts";
import { cleanText } from "../text/visible-text.ts";
import type { Screen } from "./screen.ts";

/** Prints texts below the conversation, each after an empty line. */
export interface Printer {
  print(lines: readonly Line[]): void;
  say(text: string, look?: Look): void;
  /** What nobody asked for: it does not stand in the middle of a paragraph. */
  notice(text: string, look?: Look): void;
  showError(error: unknown): void;
}

export function createPrinter(emit: Screen["emit"]): Printer {
  function print(lines: readonly Line[]): void {
    emit({ kind: "printed", items: [{ kind: "lines", lines: [[], ...lines] }] });
  }
  function say(text: string, look: Look = {}): void {
    print(plainLines(cleanText(text), look));
  }
  function notice(text: string, look: Look = {}): void {
    emit({ kind: "noticed", items: [{ kind: "lines", lines: [[], ...plainLines(cleanText(text), look)] }] });
  }
  function showError(error: unknown): void {
    say(error instanceof Error ? error.message : String(error), { color: "bad" });
  }
  return { print, say, notice, showError };
}
