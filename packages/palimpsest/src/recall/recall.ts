// Recall: reads back content that is no longer in view, for the host and as a tool for the model.

import type { ToolDefinition } from "../log/payload.ts";
import type { LogReader, ResultFiles } from "../stores/store.ts";
import { contentOf, type NoContent, readRange, type TextContent, type TextPlace } from "./read.ts";
import { type FoundLine, type SessionHits, searchRange, searchSession, type Unsearched } from "./search.ts";

/** Recalls content that was stored, cleared or compacted: anything in the log, by the number of its entry. */
export async function recall(request: RecallRequest, sources: RecallSources): Promise<Recalled> {
  const { entry: number, search = "" } = request;
  const { log, maxEntries = 20 } = sources;
  if (number === undefined) {
    if (search.trim() === "") return { kind: "nothing-asked" };
    return { kind: "entries", ...(await searchSession(search, { ...sources, maxEntries })) };
  }
  const [entry] = Number.isSafeInteger(number) && number > 0 ? await log.read(number, number) : [];
  if (entry === undefined) return { kind: "unknown", entry: number, newestEntry: (await log.head()).sequence };
  const content = await contentOf(entry, sources);
  return content.kind === "content" ? readContent(content.pieces, number, request, sources) : content;
}

/** The result of a recall: text, lines, a list of matches, or the reason why there is no content. */
export type Recalled =
  | {
      readonly kind: "text";
      readonly entry: number;
      readonly text: string;
      readonly from: TextPlace;
      readonly next?: TextPlace;
    }
  | { readonly kind: "lines"; readonly entry: number; readonly found: readonly FoundLine[]; readonly nextLine?: number }
  | ({ readonly kind: "entries" } & SessionHits)
  | { readonly kind: "unknown"; readonly entry: number; readonly newestEntry: number }
  | NoContent
  | { readonly kind: "nothing-asked" };

/** The content to recall: a range of an entry, the matching lines of an entry, or the matching entries. */
export interface RecallRequest {
  /** The number of the entry. @default all entries are searched */
  readonly entry?: number;
  /** @default 1 */
  readonly fromLine?: number;
  /** The first character within that line, for lines longer than an answer. @default 1 */
  readonly fromCharacter?: number;
  /** The maximum number of lines. @default as many as fit */
  readonly lines?: number;
  /** Within one entry: literal text, ignoring case. Over all entries: words, or phrases "in quotes". */
  readonly search?: string;
}

interface RecallSources {
  readonly log: LogReader;
  /** The files of stored results. @default none: stored results count as expired */
  readonly files?: ResultFiles;
  readonly session: string;
  /** The maximum text of one answer. @default 10,000 */
  readonly maxCharacters?: number;
  /** The number of entries that a search over all of them returns. @default 20 */
  readonly maxEntries?: number;
}

async function readContent(
  pieces: TextContent["pieces"],
  entry: number,
  request: RecallRequest,
  { maxCharacters = 10_000 }: RecallSources,
): Promise<Recalled> {
  const from = { line: count(request.fromLine, 1), character: count(request.fromCharacter, 1) };
  if (request.search !== undefined && request.search !== "") {
    const search = { search: request.search, fromLine: from.line, maxCharacters };
    const { found, nextLine } = await searchRange(pieces, search);
    return { kind: "lines", entry, found, nextLine };
  }
  const lines = count(request.lines, Number.POSITIVE_INFINITY);
  const { text, next } = await readRange(pieces, { from, lines, maxCharacters });
  return { kind: "text", entry, text, from, next };
}

/** Replaces an invalid number, because the model chose it. */
function count(value: number | undefined, otherwise: number): number {
  return value !== undefined && value >= 1 ? Math.floor(value) : otherwise;
}

/** The tool `recall` for the model. It is part of the prompt, so a changed word invalidates the cache of every session. */
export const recallTool: ToolDefinition = {
  name: "recall",
  resultSize: "bounded",
  description:
    "Reads back earlier content of this session that is no longer shown in full: stored tool output, cleared results, " +
    "and messages before a summary. Give the entry number that stands where the content was, and optionally a range of " +
    "lines or a text to search for in it. Without an entry number, searches all entries of the session for words.",
  inputSchema: {
    type: "object",
    properties: {
      entry: { type: "integer", minimum: 1, description: "Number of the entry." },
      from_line: { type: "integer", minimum: 1, description: "First line to read. Default 1." },
      from_character: {
        type: "integer",
        minimum: 1,
        description: "Character to begin at within that line. Default 1.",
      },
      lines: { type: "integer", minimum: 1, description: "How many lines to read. Default: as many as fit." },
      search: {
        type: "string",
        description:
          "With an entry: text to find in its lines. Without: words that must all occur; several in double quotes must follow each other.",
      },
    },
    additionalProperties: false,
  },
};

/** Whether the model has the tool. Only then do texts for the model mention recall. */
export function recallOf(tools: readonly Pick<ToolDefinition, "name">[]): "offered" | "missing" {
  return tools.some(({ name }) => name === recallTool.name) ? "offered" : "missing";
}

/** Parses the model's input into a request; a value of the wrong type counts as omitted. */
export function readRecallInput(input: unknown): RecallRequest {
  const fields = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const number = (name: string): number | undefined => {
    const value = fields[name];
    // Models sometimes write numbers as strings.
    const parsed = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    return typeof parsed === "number" && Number.isFinite(parsed) ? parsed : undefined;
  };
  const search = fields["search"];
  const named = {
    entry: number("entry"),
    fromLine: number("from_line"),
    fromCharacter: number("from_character"),
    lines: number("lines"),
    search: typeof search === "string" ? search : undefined,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

/** Renders the recalled content for the model, with a hint how to continue if there is more. */
export function recalledText(recalled: Recalled): string {
  return describe(recalled).toWellFormed();
}

function describe(recalled: Recalled): string {
  switch (recalled.kind) {
    case "text":
      return textOf(recalled);
    case "lines": {
      const { entry, found, nextLine } = recalled;
      const lines = found.map(({ line, character, text }) => `${line}${character > 1 ? `:${character}` : ""}: ${text}`);
      const end = nextLine === undefined ? [] : [`[There is more: recall entry ${entry} with from_line ${nextLine}.]`];
      return lines.length === 0 ? `Entry ${entry} does not contain that text.` : [...lines, ...end].join("\n");
    }
    case "entries":
      return hitsText(recalled);
    case "unknown":
      return `There is no entry ${recalled.entry}. The newest is ${recalled.newestEntry}.`;
    case "no-text":
      return `Entry ${recalled.entry} has no text: it is of the kind ${recalled.entryKind}.`;
    case "erased":
      return `Entry ${recalled.entry} was erased.`;
    case "expired":
      return `The content of entry ${recalled.entry} has expired: its file (${recalled.bytes} bytes) is gone. Run the tool again if you need it.`;
    case "changed":
      return `The file of entry ${recalled.entry} has been changed: it had ${recalled.bytes} bytes and has ${recalled.nowBytes}. Run the tool again if you need it.`;
    case "nothing-asked":
      return "Give an entry number, or words to search for.";
  }
}

function textOf({ entry, text, from, next }: Extract<Recalled, { kind: "text" }>): string {
  if (text === "") return `Entry ${entry} has nothing at ${placeText(from)}.`;
  const continueTurn = next === undefined ? "" : `[There is more: recall entry ${entry} with ${inputText(next)}.]`;
  return text.endsWith("\n") || continueTurn === "" ? text + continueTurn : `${text}\n${continueTurn}`;
}

function placeText({ line, character }: TextPlace): string {
  return character === 1 ? `line ${line}` : `line ${line}, character ${character}`;
}

function inputText({ line, character }: TextPlace): string {
  return character === 1 ? `from_line ${line}` : `from_line ${line}, from_character ${character}`;
}

function hitsText({ hits, unsearched }: Extract<Recalled, { kind: "entries" }>): string {
  const lines = hits.map(({ sequence, snippet }) => `entry ${sequence}: ${snippet}`);
  const none = lines.length === 0 ? ["No entry of this session has all of these words."] : [];
  return [...lines, ...none, ...unsearchedText(unsearched)].join("\n");
}

const UNSEARCHED: Readonly<Record<Unsearched["why"], string>> = {
  "too-much": "Too large to be searched here; search in them",
  expired: "Not searched, because their files have expired",
  changed: "Not searched, because their files have been changed",
  unreadable: "Not searched, because their files could not be read",
};
/** The number of unsearched entries that are named. Further entries are counted. */
const NAMED_ENTRIES = 50;

function unsearchedText(unsearched: readonly Unsearched[]): readonly string[] {
  return (Object.keys(UNSEARCHED) as Unsearched["why"][]).flatMap((why) => {
    const entries = unsearched.filter((one) => one.why === why).map(({ entry }) => entry);
    if (entries.length === 0) return [];
    const named = entries.slice(0, NAMED_ENTRIES).join(", ");
    const more = entries.length > NAMED_ENTRIES ? `, and ${entries.length - NAMED_ENTRIES} older ones` : "";
    return [`[${UNSEARCHED[why]}: ${named}${more}]`];
  });
}
