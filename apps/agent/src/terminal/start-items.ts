import { type Line, plain } from "../text/line.ts";
import { readWholeMarkdown } from "../text/markdown.ts";
import { cleanText } from "../text/visible-text.ts";
import type { TranscriptEntry } from "../workspace/read-transcript.ts";
import type { Item } from "./state.ts";

interface StartFacts {
  readonly version: string;
  readonly folder: string;
  readonly model: string;
}

/** The lines at the top of the screen. */
export function startItems({ version, folder, model }: StartFacts): readonly Item[] {
  const head: Line = [
    { text: "Palimpsest", weight: "bold" },
    { text: ` ${version} · ${cleanText(folder)} · ${cleanText(model)}`, color: "quiet" },
  ];
  return [{ kind: "lines", lines: [head, plain("Type /help to list commands and keys.", { color: "quiet" })] }];
}

const SHOWN_MESSAGES = 6;
const SHOWN_LINES = 12;

/** The last messages of a resumed session. */
export function earlierItems(transcript: readonly TranscriptEntry[]): readonly Item[] {
  const said = transcript
    .filter(({ who, seen }) => (who === "you" || who === "model") && seen !== "taken-back")
    .map((entry) => (entry.who === "model" ? { ...entry, text: withoutCalls(entry.text) } : entry))
    .filter(({ text }) => text !== "");
  const shown = said.slice(-SHOWN_MESSAGES);
  const before = said.length - shown.length;
  const head: readonly Item[] =
    before === 0 ? [] : [{ kind: "lines", lines: [[], plain("… earlier messages (ctrl-o)", { color: "quiet" })] }];
  return [...head, ...shown.flatMap(messageItems)];
}

function messageItems({ who, text }: TranscriptEntry): readonly Item[] {
  if (who === "you") return [{ kind: "you", text }];
  const lines = text.split("\n");
  const cut = lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES), "…"] : lines;
  return readWholeMarkdown(cut.join("\n")).map((block, index) => ({ kind: "answer", block, first: index === 0 }));
}

/** The model's text without its tool calls, which the transcript shows. */
function withoutCalls(text: string): string {
  return text.replaceAll(/^\[call of \w+\] .*$/gm, "").trim();
}

/** Whether the last turn was interrupted: the model has not answered the last message or tool result. */
export function isCutShort(transcript: readonly TranscriptEntry[]): boolean {
  const last = transcript.findLast(
    ({ who, seen }) => ["you", "model", "tool", "boundary"].includes(who) && seen === "yes",
  );
  return last?.who === "you" || last?.who === "tool" || (last?.who === "model" && last.title.startsWith("calls"));
}
