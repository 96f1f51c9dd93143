// Search in entries: the words of texts and queries, and the text of an entry.

import type { Block, Media } from "./block.ts";
import { type Entry, readPayload } from "./entry.ts";

/** Words that must follow each other. The last word may be the beginning of a longer one: `conn` finds `connection`. */
export type Phrase = readonly string[];

/**
 * Reads a query into phrases that must all occur: single words, or several words "in quotes". There is no other syntax, because
 * models write the queries.
 */
export function readQuery(query: string): readonly Phrase[] {
  const pieces = query.match(/"[^"]*"|[^\s"]+/g) ?? [];
  return pieces.map(wordsOf).filter((phrase) => phrase.length > 0);
}

/** Whether a text contains all phrases. */
export function isMatch(text: string, phrases: readonly Phrase[]): boolean {
  const words = ` ${wordsOf(text).join(" ")}`;
  return phrases.every((phrase) => words.includes(` ${phrase.join(" ")}`));
}

/** Returns the text around the first occurrence of the first phrase, on one line. */
export function snippetOf(text: string, phrases: readonly Phrase[]): string {
  const at = placeOf(text, phrases[0] ?? []);
  const from = Math.max(0, at - SNIPPET_CHARACTERS / 4);
  const to = from + SNIPPET_CHARACTERS;
  const line = text.slice(from, to).replace(/\s+/g, " ").trim();
  // A cut may leave half of a surrogate pair at either end.
  const whole = line.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "").toWellFormed();
  return `${from > 0 ? "..." : ""}${whole}${to < text.length ? "..." : ""}`;
}

const SNIPPET_CHARACTERS = 200;

function placeOf(text: string, phrase: Phrase): number {
  const isAt = (words: readonly { word: string }[], index: number): boolean =>
    phrase.every((wanted, offset) => {
      const word = words[index + offset]?.word ?? "";
      return offset === phrase.length - 1 ? word.startsWith(wanted) : word === wanted;
    });
  const words = [...text.matchAll(wordPattern())]
    .map(({ 0: word, index }) => ({ word: fold(word).slice(0, MAX_WORD_LENGTH), index }))
    .filter(({ word }) => word !== "");
  const found = words.findIndex((_, index) => isAt(words, index));
  return words[found]?.index ?? 0;
}

/**
 * Returns the words of a text, in order; every store uses the same words. A word is a run of letters and digits, without case and
 * accents. In scripts without spaces between words, each character is a word. `max_tokens` is two words that follow each other.
 */
export function wordsOf(text: string): string[] {
  // Most tool results are ASCII, and this branch is three times as fast.
  const found = isAscii(text) ? text.toLowerCase().match(/[a-z0-9]+/g) : text.match(wordPattern())?.map(fold);
  return (found ?? []).filter((word) => word !== "").map((word) => word.slice(0, MAX_WORD_LENGTH));
}

const UNSPACED = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";

const wordPattern = lazyPattern(`[${UNSPACED}]|[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED}]]+`, "gv");

// A longer word is base64 or a key, which nobody types in full.
const MAX_WORD_LENGTH = 64;

const ACCENTS = /[\u0300-\u036f]+/g;

function fold(word: string): string {
  return isAscii(word) ? word.toLowerCase() : word.toLowerCase().normalize("NFD").replace(ACCENTS, "");
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
  return /^[\x00-\x7f]*$/.test(text);
}

/**
 * Returns a function that builds a pattern at its first use. Use it for patterns with Unicode classes: V8 spends about 0.3 ms on
 * every `\p{L}` of a literal when it loads the file, even in a function that is never called (`npm run -s lab -- import`).
 */
export function lazyPattern(source: string, flags: string): () => RegExp {
  let built: RegExp | undefined;
  return () => {
    built ??= new RegExp(source, flags);
    return built;
  };
}

/**
 * Returns the text of an entry, for search and recall; undefined if the entry has no text (a request, a usage report) or its
 * payload is erased. A message with one text block gives this text unchanged; other messages give one part per line. Thinking is
 * left out, because it belongs to the provider and is often unreadable.
 */
export function entryText(entry: Entry): string | undefined {
  const read = readPayload(entry);
  switch (read.kind) {
    case "message":
    case "attachment":
      return blocksText(read.payload.blocks);
    case "replace":
    case "boundary":
      return read.payload.with.map(({ blocks }) => blocksText(blocks)).join("\n");
    default:
      return undefined;
  }
}

function blocksText(blocks: readonly Block[]): string {
  return blocks.flatMap(blockTexts).join("\n");
}

function blockTexts(block: Block): readonly string[] {
  switch (block.kind) {
    case "text":
      return [block.text];
    case "thinking":
      return [];
    case "tool_call":
      return [`[call of ${block.name}] ${JSON.stringify(block.input) ?? ""}`];
    case "tool_result":
      return typeof block.content === "string" ? [block.content] : block.content.flatMap(blockTexts);
    case "image":
    case "document":
      return [mediaText(block)];
    case "opaque":
      return [];
  }
}

function mediaText({ kind, source }: Media): string {
  return source.kind === "url" ? `[${kind}: ${source.url}]` : `[${kind}: ${source.mediaType}]`;
}
