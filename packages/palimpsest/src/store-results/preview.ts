// Previews of stored content: collects the two ends of the content, renders the preview, and puts it into a message.

import type { Block, Part, ToolResult } from "../log/block.ts";
import type { MessagePayload, StoredContent } from "../log/payload.ts";
import { beginAtLine, endAtLine, grouped, headOf, tailOf } from "../text.ts";

/** Returns the text in place of stored content: always the same bytes for the same entry. */
export function previewText(ends: Ends, { shape, maxCharacters, entry, path, recall }: PreviewOptions): string {
  const { bytes, lines } = ends;
  const where = [
    ...(path === undefined ? [] : [`It is in ${path}`]),
    ...(recall === "offered" ? [`To read or search it: recall, entry ${entry}.`] : []),
  ];
  const keys = looksLikeJson(ends) ? jsonKeys(ends.head) : [];
  return [
    "<persisted-output>",
    `Too large to be shown: ${grouped(bytes)} bytes, ${grouped(lines)} ${lines === 1 ? "line" : "lines"}.`,
    ...where,
    ...(keys.length === 0 ? [] : [`Keys: ${keys.join(", ")}`]),
    "",
    harmless(shape === "head" ? headOnly(ends, maxCharacters) : headAndTail(ends, maxCharacters)),
    "</persisted-output>",
  ].join("\n");
}

/** What a preview shows and names. */
export interface PreviewOptions {
  readonly shape: PreviewShape;
  /** How much of the content is shown. */
  readonly maxCharacters: number;
  /** The entry number for `recall`. */
  readonly entry: number;
  /** The file in which tools can read the whole content. */
  readonly path: string | undefined;
  /** Whether the model can recall the content. */
  readonly recall: "offered" | "missing";
}

/**
 * `head`: for listings and data, whose beginning shows their kind. `head-and-tail`: for commands, whose errors are at the end.
 */
export type PreviewShape = "head" | "head-and-tail";

/** Chooses the shape of a preview by the name of the tool and by the content. */
export function shapeOf(tool: string | undefined, ends: Ends): PreviewShape {
  return looksLikeJson(ends) || (tool !== undefined && LISTING_TOOL.test(tool)) ? "head" : "head-and-tail";
}

const LISTING_TOOL = /glob|grep|list|search|find|^ls$/i;

function headOnly({ head, lines }: Ends, maxCharacters: number): string {
  const shown = endAtLine(headOf(head, maxCharacters));
  return `${withLineEnd(shown)}[left out: ${lineRange(1 + lineEndsIn(shown), lines)}]`;
}

function headAndTail({ head, tail, lines }: Ends, maxCharacters: number): string {
  const first = endAtLine(headOf(head, Math.floor(maxCharacters * HEAD_SHARE)));
  const last = beginAtLine(tailOf(tail, maxCharacters - first.length));
  const lastLines = lineEndsIn(last) + (last.endsWith("\n") ? 0 : 1);
  const startsLine = tail[tail.length - last.length - 1] === "\n";
  const to = lines - lastLines + (startsLine ? 0 : 1);
  return `${withLineEnd(first)}[left out: ${lineRange(1 + lineEndsIn(first), to)}]\n${last}`;
}

/** The share of the beginning. The end gets more room, because command errors are there. */
const HEAD_SHARE = 0.4;

/** Names the omitted lines. A line that was cut counts as omitted and as shown. */
function lineRange(from: number, to: number): string {
  return from >= to ? `the rest of line ${grouped(from)}` : `lines ${grouped(from)} to ${grouped(to)}`;
}

function withLineEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function lineEndsIn(text: string): number {
  return text.split("\n").length - 1;
}

/**
 * Escapes the tags of the frame in content, and makes the text well-formed, because providers refuse lone surrogates.
 */
function harmless(text: string): string {
  return text.replace(/<(?=\/?persisted-output)/gi, "&lt;").toWellFormed();
}

/** Whether content looks like JSON by its two ends. The rest may not be available. */
export function looksLikeJson({ head, tail }: { readonly head: string; readonly tail: string }): boolean {
  const [first, last] = [head.trimStart().charAt(0), tail.trimEnd().at(-1)];
  return (first === "{" && last === "}") || (first === "[" && last === "]");
}

/**
 * Returns the keys of the outermost object, or of the first object in a list, that the beginning of the text shows.
 */
export function jsonKeys(head: string): string[] {
  const start = head.indexOf("{");
  if (start < 0 || !/^[\s[]*$/.test(head.slice(0, start))) return [];
  const keys: string[] = [];
  let depth = 0;
  // Matches strings (with their escapes and a following colon), and brackets that open or close a level.
  for (const [token, text, colon] of head.slice(start).matchAll(/"((?:[^"\\]|\\.)*)"\s*(:?)|[{}[\]]/gs)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && colon === ":") keys.push((text ?? "").slice(0, MAX_KEY_CHARACTERS));
    if (depth === 0 || keys.length === MAX_KEYS) break;
  }
  return keys.map((key) => key.replace(/[\n<]/g, " ").toWellFormed());
}

const MAX_KEYS = 20;
const MAX_KEY_CHARACTERS = 40;

/**
 * Collects the ends of content piece by piece; the sizes of the pieces do not matter. Shows invalid UTF-8 as U+FFFD; the file keeps
 * the original bytes.
 */
export function collectEnds(maxCharacters: number): EndsCollector {
  const keptBytes = maxCharacters * MAX_BYTES_PER_CHARACTER + 4;
  const head = new Uint8Array(keptBytes);
  const tail = createTail(keptBytes);
  let bytes = 0;
  let lineEnds = 0;
  let last: number | undefined;
  return {
    add(added) {
      if (bytes < keptBytes) head.set(added.subarray(0, keptBytes - bytes), bytes);
      tail.add(added);
      bytes += added.length;
      for (let at = added.indexOf(LINE_FEED); at >= 0; at = added.indexOf(LINE_FEED, at + 1)) lineEnds++;
      last = added.at(-1) ?? last;
    },
    end: () => ({
      head: headOf(decode(head.subarray(0, bytes), bytes > keptBytes ? "cut" : "whole"), maxCharacters),
      tail: tailOf(decode(fromCharacter(tail.bytes(), bytes), "whole"), maxCharacters),
      bytes,
      lines: lineEnds + (last === undefined || last === LINE_FEED ? 0 : 1),
    }),
  };
}

/** The two ends of content, and its size. */
interface Ends {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
  /** The number of lines, including a last line without a line end. */
  readonly lines: number;
}

interface EndsCollector {
  add(bytes: Uint8Array): void;
  end(): Ends;
}

/** Returns the ends of complete content. */
export function endsOf(bytes: Uint8Array, maxCharacters: number): Ends {
  const ends = collectEnds(maxCharacters);
  ends.add(bytes);
  return ends.end();
}

const LINE_FEED = 10;
/** The maximum UTF-8 bytes per string character. A character of four bytes has two string characters. */
export const MAX_BYTES_PER_CHARACTER = 3;

/** Keeps the last bytes of all added pieces. */
function createTail(keptBytes: number): { add(added: Uint8Array): void; bytes(): Uint8Array } {
  // Twice the size, so that most small pieces move no other bytes.
  const room = new Uint8Array(2 * keptBytes);
  let used = 0;
  return {
    add(added) {
      const piece = added.length > keptBytes ? added.subarray(-keptBytes) : added;
      if (used + piece.length > room.length) {
        room.copyWithin(0, used - keptBytes, used);
        used = keptBytes;
      }
      room.set(piece, used);
      used += piece.length;
    },
    bytes: () => room.subarray(Math.max(0, used - keptBytes), used),
  };
}

/** Removes the rest of a cut character at the front. */
function fromCharacter(tail: Uint8Array, allBytes: number): Uint8Array {
  if (tail.length === allBytes) return tail;
  const start = tail.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start < 0 ? tail.subarray(3) : tail.subarray(start);
}

/** `cut`: an incomplete character at the end is left out. */
function decode(bytes: Uint8Array, end: "whole" | "cut"): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: end === "cut" });
}

/** Returns the beginning of content that could not be stored, with a note that there was more. */
export function cutContent(start: string, { bytes, lines }: Ends, error: Error): CutContent {
  const kept = headOf(start, CUT_CHARACTERS);
  const shown = kept.length === start.length ? "all" : "beginning";
  const note =
    shown === "all"
      ? ""
      : `\n[Cut here: ${grouped(bytes)} bytes in ${grouped(lines)} lines. The rest could not be stored: ${error.message}]`;
  const text = (kept + note).toWellFormed();
  return { kind: "cut", text, failure: { error, bytes, keptCharacters: kept.length, shown } };
}

/** Content that is too large and could not be stored: its beginning, with a note. */
export interface CutContent {
  readonly kind: "cut";
  readonly text: string;
  readonly failure: StoringFailure;
}

/** Content that was stored. */
export interface KeptContent extends StoredEnds {
  readonly kind: "stored";
}

/** Stored content, with the data for its preview. */
export interface StoredEnds {
  readonly stored: StoredContent;
  readonly head: string;
  readonly tail: string;
}

/** A failure to store content, to report to the user. */
export interface StoringFailure {
  readonly error: Error;
  readonly bytes: number;
  readonly keptCharacters: number;
  /** How much of the content the model sees. */
  readonly shown: "all" | "beginning";
}

/** The maximum length of content that could not be stored. */
export const CUT_CHARACTERS = 100_000;

/** Returns all text of a message or of its result, with each part on its own line. */
export function textOf({ blocks }: { readonly blocks: readonly Block[] }): string {
  const result = resultOf({ blocks });
  const parts: readonly Block[] = result === undefined ? blocks : partsOf(result);
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

/** Returns the tool result of a message, if the message is one. */
export function resultOf({ blocks }: { readonly blocks: readonly Block[] }): ToolResult | undefined {
  const [block, ...more] = blocks;
  return block?.kind === "tool_result" && more.length === 0 ? block : undefined;
}

/** Replaces an empty result by a text. */
export function markEmpty(payload: MessagePayload): MessagePayload {
  const result = resultOf(payload);
  if (result === undefined) return payload;
  const isEmpty = partsOf(result).every((part) => part.kind === "text" && part.text.trim() === "");
  return isEmpty ? { ...payload, blocks: [{ ...result, content: NO_OUTPUT }] } : payload;
}

/** The text of an empty result, because providers refuse or misread a block without content. */
const NO_OUTPUT = "(no output)";

/** Returns a message with a preview instead of its text. */
export function withPreview(payload: MessagePayload, preview: string, stored: StoredContent): MessagePayload {
  return { ...payload, blocks: withText(payload.blocks, preview), stored };
}

/** Returns the blocks with one text in place of their first text, and without other texts. Other blocks are kept. */
export function withText(blocks: readonly Block[], text: string): readonly Block[] {
  const result = resultOf({ blocks });
  if (result === undefined) return replaceTexts(blocks, text);
  const content = typeof result.content === "string" ? text : (replaceTexts(result.content, text) as readonly Part[]);
  return [{ ...result, content }];
}

function replaceTexts(blocks: readonly Block[], text: string): readonly Block[] {
  const first = blocks.findIndex(({ kind }) => kind === "text");
  const shown: Block = { kind: "text", text };
  if (first < 0) return [shown, ...blocks];
  const others = (some: readonly Block[]): readonly Block[] => some.filter(({ kind }) => kind !== "text");
  return [...blocks.slice(0, first), shown, ...others(blocks.slice(first))];
}

function partsOf({ content }: ToolResult): readonly Part[] {
  return typeof content === "string" ? [{ kind: "text", text: content }] : content;
}
