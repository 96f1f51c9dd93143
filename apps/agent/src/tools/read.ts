import { extname } from "node:path";
import {
  type FilePorts,
  type FileState,
  loadFile,
  refusalOf,
  type ShownRange,
  shownEntry,
} from "../files/file-states.ts";
import { imagePart, imageTypeOf, MOST_IMAGE_BYTES } from "../files/image.ts";
import { notebookText } from "../files/notebook-text.ts";
import { integer, optional, text } from "./input.ts";
import { type AgentTool, defineTool, done, failed, type ToolOutcome } from "./tool.ts";

/** Lines of one answer, where the call names no range. */
const DEFAULT_LINES = 2_000;
/** What is longer is no line to read, but data. */
const LINE_CHARACTERS = 2_000;
/** How much of a file is searched for NUL bytes. */
const SNIFFED_BYTES = 8_192;

/** Reads a file: text with line numbers, notebooks as text, images as images. */
export function readTool(ports: FilePorts): AgentTool {
  const { guard, states } = ports;
  return defineTool({
    name: "Read",
    description:
      `Reads a file of the project. Text comes with line numbers, ${DEFAULT_LINES} lines unless a range is given; lines over ${LINE_CHARACTERS} ` +
      "characters are cut. Images are shown, notebooks come as text. A file has to be read before it can be changed. For folders use Glob.",
    input: {
      file_path: text("Path of the file, absolute or from the project's folder."),
      offset: optional(integer("First line to read. Default 1.", 1)),
      limit: optional(integer(`How many lines. Default ${DEFAULT_LINES}.`, 1)),
    },
    concurrency: "safe",
    effect: "read",
    results: "clearable",
    async run({ file_path, offset = 1, limit = DEFAULT_LINES }, { newestEntry }) {
      const located = await guard.locate(file_path);
      if (located.kind !== "inside") return failed(refusalOf(located, guard.roots));
      const loaded = await loadFile(located.path, located.root);
      if (loaded === undefined) return failed(`There is no file ${located.path}. Find it with Glob.`);
      const { bytes, facts } = loaded;
      const extension = extname(located.path).toLowerCase();
      const image = imageTypeOf(located.path);
      const lines = image === undefined ? toLines(bytes, extension) : undefined;
      if (lines === "binary") {
        return failed(
          `${file_path} is binary (${bytes.length} bytes): there is no text to read in it. Use a command that knows its format.`,
        );
      }
      const range = lines === undefined ? "whole" : rangeOf(lines.length, offset, limit);
      const known = states.get(located.path);
      const entry = await shownEntry(located.path, ports);
      if (known?.hash === facts.hash && isStillShown(known, entry) && covers(known.range, range)) {
        states.set(located.path, { ...known, unchangedAfterEntry: newestEntry });
        return done(`${file_path} is unchanged since you read it (entry ${entry}): what stands there holds.`);
      }
      if (image !== undefined && bytes.length > MOST_IMAGE_BYTES) {
        return failed(
          `${file_path} is an image of ${bytes.length} bytes; at most ${MOST_IMAGE_BYTES} can be shown. Make it smaller first.`,
        );
      }
      // Two reads of one file in one round: which of the two results is in view, the entry number cannot tell.
      const sameRound = known?.readAfterEntry === newestEntry || known?.readAfterEntry === Number.POSITIVE_INFINITY;
      const readAfterEntry = sameRound && known.range !== range ? Number.POSITIVE_INFINITY : newestEntry;
      states.set(located.path, { ...facts, knownBy: "read", range, readAfterEntry });
      return lines === undefined
        ? done([imagePart(image!, bytes)])
        : textOutcome(lines, { offset, limit, file: file_path });
    },
  });
}

/** The result in view is that of the content, and not of an earlier read nor of an answer that said "unchanged". */
function isStillShown({ readAfterEntry, unchangedAfterEntry }: FileState, entry: number | undefined): boolean {
  return (
    entry !== undefined && entry > readAfterEntry && (unchangedAfterEntry === undefined || entry <= unchangedAfterEntry)
  );
}

function covers(shown: ShownRange, wanted: ShownRange): boolean {
  if (shown === "whole") return true;
  return wanted !== "whole" && shown.from <= wanted.from && shown.to >= wanted.to;
}

function rangeOf(count: number, offset: number, limit: number): ShownRange {
  return offset === 1 && limit >= count ? "whole" : { from: offset, to: Math.min(count, offset + limit - 1) };
}

function toLines(bytes: Buffer, extension: string): readonly string[] | "binary" {
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return "binary";
  const content = bytes.toString("utf8");
  const shown = extension === ".ipynb" ? (notebookText(content) ?? content) : content;
  const lines = shown.split("\n");
  // A line break ends a line; it does not begin another.
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function textOutcome(
  lines: readonly string[],
  { offset, limit, file }: { offset: number; limit: number; file: string },
): ToolOutcome {
  if (lines.length === 0) return done(`${file} is empty.`);
  if (offset > lines.length) return failed(`${file} has ${lines.length} lines; line ${offset} is behind its end.`);
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const numbered = shown.map((line, position) => `${String(offset + position).padStart(6)}\t${cutLine(line)}`);
  const next = offset + shown.length;
  const more = next <= lines.length ? [`[${lines.length} lines in all. Read on with offset ${next}.]`] : [];
  return done([...numbered, ...more].join("\n").toWellFormed());
}

function cutLine(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (text.length <= LINE_CHARACTERS) return text;
  return `${text.slice(0, LINE_CHARACTERS)} [${text.length - LINE_CHARACTERS} more characters]`;
}
