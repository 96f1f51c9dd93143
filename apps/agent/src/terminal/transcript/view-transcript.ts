import { type Line, type Look, plain } from "../../text/line.ts";
import { cutLine, padText, wrapLines } from "../../text/width.ts";
import type { TranscriptEntry } from "../../workspace/read-transcript.ts";
import type { ScreenState } from "../state.ts";
import type { TranscriptState } from "./transcript-state.ts";

const FOLDED_LINES = 2;
/** An entry may have megabytes: an opened entry shows this much, and `/recall` has the rest. */
const MAX_ROWS_OF_ENTRY = 400;

const LOOKS: Readonly<Record<TranscriptEntry["who"], Look>> = {
  you: { color: "you", weight: "bold" },
  model: { color: "model", weight: "bold" },
  tool: { color: "tool" },
  command: { color: "tool" },
  host: { color: "quiet" },
  attached: { color: "quiet" },
  summary: { color: "warning" },
  boundary: { color: "warning", weight: "bold" },
  "taken-out": { color: "warning" },
};

/** Lines that a call adds to a file or removes from it, as in the question about the call. */
const CHANGED: Readonly<Record<string, Look>> = {
  added: { color: "good" },
  removed: { color: "bad" },
  skipped: { color: "quiet" },
};

/** Names of entries that differ from the log's words. */
const NAMES: Readonly<Partial<Record<TranscriptEntry["who"], string>>> = {
  boundary: "compaction",
  "taken-out": "removed",
};

/** Renders the transcript on the whole screen. The chosen entry is always visible; only visible entries are laid out. */
export function viewTranscript(transcript: TranscriptState, { columns, rows }: ScreenState): readonly Line[] {
  const { entries, at } = transcript;
  const room = Math.max(1, rows - 2);
  const chosen = viewEntry(transcript, at, columns);
  // The chosen entry starts in the upper third, if enough entries come before it.
  const above: Line[] = [];
  for (let index = at - 1; index >= 0 && above.length < Math.floor(room / 3); index--) {
    above.unshift(...viewEntry(transcript, index, columns));
  }
  const shown = [...above.slice(-Math.floor(room / 3)), ...chosen];
  for (let index = at + 1; index < entries.length && shown.length < room; index++) {
    shown.push(...viewEntry(transcript, index, columns));
  }
  const body = shown.slice(0, room);
  const free = Array.from({ length: room - body.length }, (): Line => []);
  return [headLine(transcript, columns), ...body, ...free, footLine(transcript, columns)];
}

function headLine({ entries, at }: TranscriptState, columns: number): Line {
  const text = `Transcript: ${entries.length === 0 ? 0 : at + 1} of ${entries.length}`;
  return plain(padText(text, columns), { mark: "inverse" });
}

function footLine({ search, said }: TranscriptState, columns: number): Line {
  if (search.state === "typing") return [{ text: "/" }, { text: search.words }, { text: " ", mark: "inverse" }];
  const keys = "↑↓ · enter open · / n N search · c compaction · o original · u undo · q close";
  return cutLine(said === undefined ? plain(keys, { color: "quiet" }) : plain(said, { color: "warning" }), columns);
}

function viewEntry(
  { entries, at, line: first, opened, search }: TranscriptState,
  index: number,
  columns: number,
): readonly Line[] {
  const one = entries[index];
  if (one === undefined) return [];
  const { entry, who, title, text, seen, kinds } = one;
  const isChosen = index === at;
  const state = seen === "yes" ? "" : seen === "compacted" ? " (compacted)" : " (undone)";
  const head: Line = [
    { text: isChosen ? "❯ " : "  ", color: "you" },
    { text: `${entry} ${NAMES[who] ?? who}`, ...LOOKS[who] },
    ...(title === "" ? [] : plain(` ${title}`)),
    ...plain(state, { color: "quiet" }),
  ];
  const look: Look = seen === "yes" ? {} : { color: "quiet" };
  const lines = (text.trimEnd() === "" ? [] : text.trimEnd().split("\n")).map((said, number) =>
    plain(said, CHANGED[kinds?.[number] ?? "same"] ?? look),
  );
  const isOpen = opened.includes(entry);
  const from = isOpen && isChosen ? first : 0;
  const to = from + (isOpen ? MAX_ROWS_OF_ENTRY : FOLDED_LINES);
  const shown = isOpen ? wrapLines(lines.slice(from, to), columns - 4) : lines.slice(from, to);
  const rest = lines.length - to;
  const body = shown.map((line) => [{ text: "    " }, ...cutLine(marked(line, search.words), columns - 4)]);
  const more = rest > 0 ? [plain(`    … ${rest} more lines`, { color: "quiet", slant: "italic" })] : [];
  const before = from > 0 ? [plain(`    … ${from} lines before`, { color: "quiet", slant: "italic" })] : [];
  return [cutLine(head, columns), ...before, ...body, ...more];
}

/** Highlights the search words. */
function marked(line: Line, words: string): Line {
  const wanted = words.toLowerCase();
  if (wanted === "") return line;
  return line.flatMap((span) => {
    const at = span.text.toLowerCase().indexOf(wanted);
    if (at < 0) return [span];
    const end = at + wanted.length;
    return [
      { ...span, text: span.text.slice(0, at) },
      { ...span, text: span.text.slice(at, end), mark: "inverse" as const },
      { ...span, text: span.text.slice(end) },
    ];
  });
}
