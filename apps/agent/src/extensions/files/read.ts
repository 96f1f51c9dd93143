import { extname } from "node:path";
import type { ToolOutput } from "palimpsest";
import { spellForEditing } from "palimpsest/sanitize";
import { integer, object, optional, text } from "palimpsest/schema";
import { agentTool, done, failed } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import { loadFile } from "../../workspace/open-inside.ts";
import { type FileState, loadResult, type ReadPorts, refusalOf, type ShownRange, shownEntry } from "./file-states.ts";
import { imagePart, imageTypeOf, MAX_IMAGE_BYTES } from "./image.ts";
import { LINE_CHARACTERS, MAX_CHARACTERS, type ShownLines, showLines } from "./show-lines.ts";

/** The number of lines in one result, if the call has no range. */
const DEFAULT_LINES = 2_000;
/** The number of bytes to search for NUL bytes. */
const SNIFFED_BYTES = 8_192;

/** Reads a file: text with line numbers, notebooks as text, images as images. */
export function readTool(ports: ReadPorts): AgentTool {
  const { guard, states, openResult = async () => undefined } = ports;
  return agentTool({
    name: "Read",
    description:
      `Reads a file of the project, or a tool result of this session that was stored. Text comes with line numbers, ${DEFAULT_LINES} lines ` +
      `unless a range is given, and at most ${MAX_CHARACTERS} characters; lines over ${LINE_CHARACTERS} characters are cut. What is left out ` +
      "is named with the offset to read on. Images are shown, notebooks come as text. A file has to be read before it can be changed. " +
      "For folders use Glob.",
    inputSchema: object({
      file_path: text("Path of the file, absolute or from the project's folder."),
      offset: optional(integer("First line to read. Default 1.", { minimum: 1 })),
      limit: optional(integer(`How many lines. Default ${DEFAULT_LINES}.`, { minimum: 1 })),
      character: optional(
        integer("For a very long line: shows the line at offset from this character on.", { minimum: 1 }),
      ),
    }),
    concurrency: "safe",
    effect: "read",
    results: "clearable",
    touches: async ({ file_path }) => [file_path],
    // The result is limited by lines and characters (show-lines).
    resultSize: "bounded",
    async execute({ file_path, offset = 1, limit = DEFAULT_LINES, character }, { newestEntry }) {
      const wanted = { offset, limit, character };
      const located = await guard.locate(file_path);
      if (located.kind !== "inside") {
        const result = await openResult(file_path);
        if (result === undefined) return failed(refusalOf(located, guard.roots));
        const lines = splitLines(shownText((await loadResult(result, file_path)).toString("utf8")));
        return textOutcome(lines, showLines(lines, wanted), file_path);
      }
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
      const shown = lines && showLines(lines, wanted);
      const range = lines === undefined ? "whole" : rangeOf(lines.length, offset, shown?.lastLine ?? offset);
      const known = states.get(located.path);
      const entry = await shownEntry(located.path, ports);
      // The model reads a part of a line because an earlier result cut the line.
      const isShown = character === undefined && isStillShown(known, entry) && covers(known?.range, range);
      if (known?.hash === facts.hash && isShown) {
        states.set(located.path, { ...known, unchangedAfterEntry: newestEntry });
        return done(`${file_path} is unchanged since you read it (entry ${entry}). That result is still current.`);
      }
      if (image !== undefined && bytes.length > MAX_IMAGE_BYTES) {
        return failed(
          `${file_path} is an image of ${bytes.length} bytes; at most ${MAX_IMAGE_BYTES} can be shown. Make it smaller first.`,
        );
      }
      const shownImage = image === undefined ? undefined : imagePart(bytes);
      if (image !== undefined && shownImage === undefined) {
        return failed(
          `${file_path} is called an image, and its ${bytes.length} bytes are none that can be shown. Find out what it is with a command.`,
        );
      }
      // After two reads of a file in one round, the entry number does not say which result is in view.
      const sameRound = known?.readAfterEntry === newestEntry || known?.readAfterEntry === Number.POSITIVE_INFINITY;
      const readAfterEntry = sameRound && known.range !== range ? Number.POSITIVE_INFINITY : newestEntry;
      states.set(located.path, { ...facts, knownBy: "read", range, readAfterEntry });
      return lines === undefined ? done([shownImage!]) : textOutcome(lines, shown, file_path);
    },
  });
}

const MARK = /⟨(?:U\+[0-9A-F]{4,6}|\d+ hidden characters)⟩/;
const MARKS_NOTE =
  "[Characters that nobody sees are spelled out between ⟨ and ⟩. Edit and Write take them as they are shown here.]";

/** Whether the result in view has the content, and is not an earlier read or an "unchanged" answer. */
function isStillShown(known: FileState | undefined, entry: number | undefined): boolean {
  if (known === undefined || entry === undefined) return false;
  const { readAfterEntry, unchangedAfterEntry = Number.POSITIVE_INFINITY } = known;
  return entry > readAfterEntry && entry <= unchangedAfterEntry;
}

function covers(shown: ShownRange | undefined, wanted: ShownRange): boolean {
  if (shown === undefined || shown === "whole") return shown === "whole";
  return wanted !== "whole" && shown.from <= wanted.from && shown.to >= wanted.to;
}

function rangeOf(count: number, offset: number, lastLine: number): ShownRange {
  return offset === 1 && lastLine >= count ? "whole" : { from: offset, to: lastLine };
}

function toLines(bytes: Buffer, extension: string): readonly string[] | "binary" {
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return "binary";
  const content = bytes.toString("utf8");
  return splitLines(shownText(extension === ".ipynb" ? (notebookText(content) ?? content) : content));
}

/** Spells out hidden and control characters. Edit and Write convert them back. */
function shownText(text: string): string {
  return spellForEditing(text).text;
}

function splitLines(text: string): readonly string[] {
  const lines = text.split("\n");
  // The final line break does not start another line.
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function textOutcome(lines: readonly string[], shown: ShownLines | undefined, file: string): ToolOutput {
  if (lines.length === 0) return done(`${file} is empty.`);
  if (shown !== undefined) return done(MARK.test(shown.text) ? `${shown.text}\n${MARKS_NOTE}` : shown.text);
  return failed(`${file} has ${lines.length} lines: there is nothing at this offset or character.`);
}

interface Cell {
  readonly cell_type?: unknown;
  readonly source?: unknown;
  readonly outputs?: unknown;
}

/** Converts a Jupyter notebook to text: its cells in order, with their output. Undefined for other files. */
function notebookText(json: string): string | undefined {
  let notebook: unknown;
  try {
    notebook = JSON.parse(json);
  } catch {
    return undefined;
  }
  const cells = typeof notebook === "object" && notebook !== null && "cells" in notebook ? notebook.cells : undefined;
  if (!Array.isArray(cells)) return undefined;
  return cells.map((cell: Cell | null, position) => cellText(cell ?? {}, position + 1)).join("\n\n");
}

function cellText({ cell_type, source, outputs }: Cell, number: number): string {
  const printed = Array.isArray(outputs) ? outputs.map(outputText).filter(Boolean) : [];
  return [`[cell ${number}: ${String(cell_type)}]`, joined(source), ...printed.map((text) => `[output]\n${text}`)].join(
    "\n",
  );
}

/** The text of streams and results. Pictures and widgets are only named. */
function outputText(output: unknown): string {
  if (typeof output !== "object" || output === null) return "";
  const { text, data, ename, evalue } = output as Readonly<Record<string, unknown>>;
  if (text !== undefined) return joined(text);
  if (ename !== undefined) return `${String(ename)}: ${String(evalue)}`;
  if (typeof data !== "object" || data === null) return "";
  const plain = (data as Readonly<Record<string, unknown>>)["text/plain"];
  return plain === undefined ? `(${Object.keys(data).join(", ")})` : joined(plain);
}

function joined(lines: unknown): string {
  return Array.isArray(lines) ? lines.join("") : typeof lines === "string" ? lines : "";
}
