// Messages as text for a model that writes a summary, and a division of text that is too long for one call.

import type { Block, Part, ToolCall } from "../../log/block.ts";
import { isUsersOwn, provenanceOf } from "../../log/provenance.ts";
import { grouped, headOf, shortenText } from "../../text.ts";
import { escapeTags } from "../../view/texts.ts";
import type { Item, MessageItem } from "../../view/view.ts";

interface TranscriptOptions {
  /** Types of attachments that are shown again anyway. @default [] */
  readonly leftOut?: readonly string[];
  /** The shown length of a result, of a call's input or of an attachment. @default 10000 */
  readonly resultCharacters?: number;
}

/** One response with its tool results, and the messages before it since the last response. */
export interface TranscriptRound {
  readonly text: string;
  /** The first and the last entry of the round. Late results are shown with their call, so ranges may overlap. */
  readonly from: number;
  readonly to: number;
}

interface Making {
  readonly texts: string[];
  from: number;
  to: number;
  /** The response of the round; undefined if only the user has written so far. */
  response: string | undefined;
}

/**
 * Renders the conversation as plain text, for a call without tools. Thinking is left out, since it belongs to the
 * provider. Media are named, not sent. Content cannot close its entry, nor open another.
 */
export function transcriptOf(items: readonly Item[], options: TranscriptOptions = {}): readonly TranscriptRound[] {
  const { leftOut = [], resultCharacters = 10_000 } = options;
  const rounds: Making[] = [];
  const roundByResponse = new Map<string, Making>();
  // Some servers reuse one id for many calls: a result belongs to the newest.
  const callById = new Map<string, { readonly call: ToolCall; readonly round: Making }>();

  for (const item of items) {
    if (item.kind === "seal" || (item.attachment !== undefined && leftOut.includes(item.attachment))) continue;
    const round = roundOf(item);
    for (const block of item.blocks) if (block.kind === "tool_call") callById.set(block.id, { call: block, round });
    const body = bodyOf(item, resultCharacters);
    if (body.trim() === "") continue;
    round.from = Math.min(round.from, item.from);
    round.to = Math.max(round.to, item.to);
    round.texts.push(entryOf(item, labelOf(item), body));
  }
  return rounds
    .filter(({ texts }) => texts.length > 0)
    .map(({ texts, from, to }) => ({ text: texts.join("\n"), from, to }));

  function roundOf(item: MessageItem): Making {
    if (item.role === "assistant") return roundOfResponse(item);
    const answered = item.blocks.flatMap((block) =>
      block.kind === "tool_result" ? (callById.get(block.callId)?.round ?? []) : [],
    )[0];
    if (answered !== undefined) return answered;
    const last = rounds.at(-1);
    // Any other message after a response opens the next round.
    return last === undefined || last.response !== undefined ? addRound() : last;
  }

  function roundOfResponse({ responseId, from }: MessageItem): Making {
    const id = responseId ?? `entry ${from}`;
    const known = roundByResponse.get(id);
    if (known !== undefined) return known;
    const last = rounds.at(-1);
    const round = last === undefined || last.response !== undefined ? addRound() : last;
    round.response = id;
    roundByResponse.set(id, round);
    return round;
  }

  function addRound(): Making {
    const round: Making = { texts: [], from: Number.POSITIVE_INFINITY, to: 0, response: undefined };
    rounds.push(round);
    return round;
  }

  function labelOf(item: MessageItem): string {
    if (item.origin === "summary") return "summary of an earlier part";
    if (item.attachment !== undefined) return `attachment ${item.attachment}`;
    const [block] = item.blocks;
    if (block?.kind === "tool_result") {
      const tool = callById.get(block.callId)?.call.name ?? "a tool";
      return block.status === "error" ? `error of ${tool}` : `result of ${tool}`;
    }
    // Logs may have origins that this release does not know.
    const isOwn = item.origin === "human" ? isUsersOwn(item) : item.origin !== "command" || isOutput(item);
    const isKnown = Object.hasOwn(LABELS, item.origin) && isOwn;
    return isKnown ? LABELS[item.origin] : `text from ${sourceOf(item)}, not written by the user`;
  }
}

/** Joins the rounds into one text for the model, after an optional note about what was cut. */
export function transcriptText(rounds: readonly TranscriptRound[], cut?: string): string {
  const texts = rounds.map(({ text }) => text);
  return ["<transcript>", ...(cut === undefined ? [] : [cut]), ...texts, "</transcript>"].join("\n");
}

/** Names of tools and types of attachments come from outside, so they are limited. */
const LABEL_CHARACTERS = 80;

const LABELS: Readonly<Record<MessageItem["origin"], string>> = {
  human: "user",
  model: "assistant",
  tool: "result",
  command: "output of a command that the user ran",
  host: "note of the program",
  summary: "summary of an earlier part",
};

/** Attached files, pastes and piped input have the same origin as the output of a command, and a provenance of their own. */
function isOutput(item: MessageItem): boolean {
  return provenanceOf(item).kind === "tool";
}

function sourceOf(item: MessageItem): string {
  const provenance = provenanceOf(item);
  return "name" in provenance && provenance.name !== undefined ? provenance.name : provenance.kind;
}

function entryOf({ from, to }: MessageItem, label: string, body: string): string {
  const numbers = from === to ? `${from}` : `${from} to ${to}`;
  const name = headOf(label.replace(/[<>\s]+/g, " "), LABEL_CHARACTERS);
  return `<entry ${numbers}, ${name}>\n${escapeTags(body, FRAME)}\n</entry>`;
}

function bodyOf(item: MessageItem, resultCharacters: number): string {
  // Results and inputs have limits of their own.
  const isBounded = item.attachment !== undefined || item.origin === "command";
  const text = item.blocks.flatMap((block) => blockTexts(block, item.from, resultCharacters)).join("\n");
  return isBounded ? bounded(text, item.from, resultCharacters) : text;
}

function blockTexts(block: Block, entry: number, resultCharacters: number): readonly string[] {
  switch (block.kind) {
    case "text":
      return [block.text];
    case "thinking":
      return [];
    case "tool_call":
      return [`[call of ${block.name}] ${bounded(inputText(block.input), entry, resultCharacters)}`];
    case "tool_result": {
      const parts: readonly Part[] =
        typeof block.content === "string" ? [{ kind: "text", text: block.content }] : block.content;
      const text = parts.flatMap((part) => blockTexts(part, entry, resultCharacters)).join("\n");
      return [bounded(text, entry, resultCharacters)];
    }
    case "image":
    case "document":
      return [`[${block.kind}]`];
    case "opaque":
      return ["[content that only its provider can read]"];
  }
}

function inputText(input: unknown): string {
  return typeof input === "string" ? input : (JSON.stringify(input) ?? "");
}

function bounded(text: string, entry: number, characters: number): string {
  return shortenText(text, characters, (left) => `[left out: ${grouped(left)} characters of entry ${entry}]`);
}

/** The tags of the frame: an entry can neither end itself nor begin another. */
const FRAME = ["entry", "transcript"];

/** Longer than any tag of the frame; each tag is on a line of its own. */
const NEAR_CHARACTERS = 200;

/** Returns a well-formed part of a round: a cut entry is closed, and continues under its own label. */
function clipTranscript(text: string, from: number, to: number): string {
  const [openBefore, openBehind] = [openEntryAt(text, from), openEntryAt(text, to)];
  const begin =
    openBefore === undefined ? "" : `${openBefore.replace(/, continued>$/, ">").slice(0, -1)}, continued>\n`;
  const part = text.slice(from, to);
  const end = openBehind === undefined ? "" : part.endsWith("\n") ? "</entry>" : "\n</entry>";
  return `${begin}${part}${end}`;
}

/** Returns where to cut a text, at or before a place: at the beginning of a line if one is near, so never in a tag. */
function cutPlace(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const place = headOf(text, Math.max(0, at)).length;
  const line = text.lastIndexOf("\n", place - 1) + 1;
  return place > 0 && place - line < NEAR_CHARACTERS ? line : place;
}

/** Returns the tag of the entry around a place. The tag is reliable: content cannot imitate it. */
function openEntryAt(text: string, at: number): string | undefined {
  if (at <= 0) return undefined;
  const start = text.lastIndexOf("<entry ", at - 1);
  if (start < 0 || text.lastIndexOf("</entry>", at - 1) > start) return undefined;
  return text.slice(start, text.indexOf("\n", start));
}

interface DropOptions<Round> {
  /** The excess of the request, if the error names it. */
  readonly gapTokens?: number;
  readonly tokensOf: (round: Round) => number;
}

interface Dropped<Round> {
  readonly dropped: readonly Round[];
  readonly kept: readonly Round[];
}

/** The number of rounds dropped at a time if no excess is known. */
const USUAL_SHARE = 0.2;

/**
 * Chooses which of the oldest rounds to drop from a request that was too long. At least one is dropped and one stays; undefined
 * if that is impossible.
 */
export function dropOldest<Round>(
  rounds: readonly Round[],
  { gapTokens, tokensOf }: DropOptions<Round>,
): Dropped<Round> | undefined {
  if (rounds.length < 2) return undefined;
  const wanted =
    gapTokens === undefined ? Math.ceil(rounds.length * USUAL_SHARE) : countFor(rounds, gapTokens, tokensOf);
  const count = Math.min(Math.max(1, wanted), rounds.length - 1);
  return { dropped: rounds.slice(0, count), kept: rounds.slice(count) };
}

function countFor<Round>(rounds: readonly Round[], gapTokens: number, tokensOf: (round: Round) => number): number {
  let left = gapTokens;
  let count = 0;
  while (left > 0 && count < rounds.length) left -= tokensOf(rounds[count++]!);
  return count;
}

/**
 * The text before the remaining rounds. It is made new for each try and is never one of the rounds: otherwise each try would
 * only drop the marker of the last.
 */
export function cutMarker(dropped: readonly { readonly from: number; readonly to: number }[]): string {
  const from = dropped.reduce((least, round) => Math.min(least, round.from), Number.POSITIVE_INFINITY);
  const to = dropped.reduce((most, round) => Math.max(most, round.to), 0);
  return `[Earlier conversation did not fit and was cut here: entries ${from} to ${to}. What follows begins in the middle.]`;
}

// ------------------------------------------------------------------------------------------------ too long for one call

interface DivideOptions {
  /** How much of the transcript fits into one call. */
  readonly partTokens: number;
  /** The maximum number of calls. */
  readonly maximumParts: number;
  readonly tokensOf: (text: string) => number;
}

interface DividedTranscript {
  /** Consecutive, oldest first; each fits into one call. */
  readonly parts: readonly (readonly TranscriptRound[])[];
  /** The number of older rounds that are shown in part. */
  readonly shortenedRounds: number;
  /** The number of older rounds that are left out. */
  readonly leftOutRounds: number;
}

interface Piece extends TranscriptRound {
  readonly tokens: number;
}

/** A smaller part cannot show a round in a useful way. */
const LEAST_PART_TOKENS = 500;
const LEAST_ROUND_TOKENS = 100;
/** The share of parts for the newest rounds, which are shown complete: newer messages matter more. */
const NEWEST_SHARE = 0.5;
const HEAD_SHARE = 0.4;

/**
 * Plans how to read a transcript of many windows. If it does not fit into the allowed parts, half of them show the
 * newest rounds complete. The other half shows the older rounds, each shortened to the same number of tokens, head and
 * tail. If even that is too much, every second older round is left out, then three of four, and so on. Undefined if a
 * part is too small to be useful.
 */
export function divideTranscript(
  rounds: readonly TranscriptRound[],
  { partTokens, maximumParts, tokensOf }: DivideOptions,
): DividedTranscript | undefined {
  if (partTokens < LEAST_PART_TOKENS || maximumParts < 1) return undefined;
  const measure = (round: TranscriptRound): Piece => ({ ...round, tokens: tokensOf(round.text) });
  const whole = rounds.flatMap((round) => split(measure(round), partTokens, measure));
  const parts = pack(whole, partTokens);
  if (parts.length <= maximumParts) return { parts: parts.map(asRounds), shortenedRounds: 0, leftOutRounds: 0 };

  // With only one part, both halves share it.
  const shelfTokens = maximumParts === 1 ? Math.floor(partTokens / 2) : partTokens;
  const newestShelves = maximumParts === 1 ? 1 : Math.ceil(maximumParts * NEWEST_SHARE);
  const olderShelves = Math.max(1, maximumParts - newestShelves);
  const pieces = whole.flatMap((piece) => split(piece, shelfTokens, measure));
  const newest = pack(pieces.toReversed(), shelfTokens).slice(0, newestShelves);
  const older = pieces.slice(0, pieces.length - newest.flat().length);
  const { shelves, shortened, leftOut } = fitOlder(older, { shelfTokens, shelves: olderShelves, measure });
  const filled = [...shelves, ...newest.toReversed().map((shelf) => shelf.toReversed())];
  return {
    parts: (maximumParts === 1 ? [filled.flat()] : filled).map(asRounds),
    shortenedRounds: shortened,
    leftOutRounds: leftOut,
  };
}

interface Shelves {
  readonly shelfTokens: number;
  readonly shelves: number;
  readonly measure: (round: TranscriptRound) => Piece;
}

function fitOlder(
  older: readonly Piece[],
  { shelfTokens, shelves, measure }: Shelves,
): { shelves: readonly (readonly Piece[])[]; shortened: number; leftOut: number } {
  let roundTokens = shelfTokens;
  let every = 1;
  for (;;) {
    // The first round stays: it contains the task.
    const shown = older.filter((_, index) => index % every === 0);
    const fitted = shown.map((piece) => (piece.tokens <= roundTokens ? piece : shorten(piece, roundTokens, measure)));
    const packed = pack(fitted, shelfTokens);
    if (packed.length <= shelves || every > older.length) {
      const shortened = fitted.filter((piece, index) => piece !== shown[index]).length;
      return { shelves: packed, shortened, leftOut: older.length - shown.length };
    }
    if (roundTokens / 2 >= LEAST_ROUND_TOKENS) roundTokens /= 2;
    else every *= 2;
  }
}

/** Fills parts in order, each with as many pieces as fit. */
function pack(pieces: readonly Piece[], partTokens: number): readonly (readonly Piece[])[] {
  const packed: Piece[][] = [];
  let left = 0;
  for (const piece of pieces) {
    const last = packed.at(-1);
    if (last !== undefined && piece.tokens <= left) {
      last.push(piece);
      left -= piece.tokens;
    } else {
      packed.push([piece]);
      left = partTokens - piece.tokens;
    }
  }
  return packed;
}

/** Returns the beginning and the end of a piece. The end gets more room: it shows the outcome. */
function shorten(piece: Piece, roundTokens: number, measure: Shelves["measure"]): Piece {
  const { text, from, to } = piece;
  let characters = (text.length * roundTokens) / piece.tokens;
  for (;;) {
    const headEnd = cutPlace(text, Math.floor(characters * HEAD_SHARE));
    const tailStart = Math.max(headEnd, cutPlace(text, text.length - Math.floor(characters * (1 - HEAD_SHARE))));
    const left = `[left out of entries ${from} to ${to}: ${grouped(tailStart - headEnd)} characters]`;
    const parts = [clipTranscript(text, 0, headEnd), left, clipTranscript(text, tailStart, text.length)];
    const shortened = measure({ text: parts.filter((part) => part !== "").join("\n"), from, to });
    if (shortened.tokens <= roundTokens || characters < 1) return shortened;
    characters *= 0.8;
  }
}

/** Splits a round that is larger than a part into several pieces. */
function split(piece: Piece, partTokens: number, measure: Shelves["measure"]): readonly Piece[] {
  const { text, from, to } = piece;
  if (piece.tokens <= partTokens) return [piece];
  const pieces: Piece[] = [];
  let start = 0;
  let characters = Math.floor((text.length * partTokens) / piece.tokens);
  while (start < text.length) {
    // Always moves forward, even if the beginning of the line is not after the last cut.
    const near = cutPlace(text, start + characters);
    const end = near > start ? near : headOf(text, start + Math.max(2, characters)).length;
    const next = measure({ text: clipTranscript(text, start, end), from, to });
    if (next.tokens > partTokens && characters > 1) {
      characters = Math.floor(characters * 0.8);
      continue;
    }
    pieces.push(next);
    start = end;
  }
  return pieces;
}

function asRounds(pieces: readonly Piece[]): readonly TranscriptRound[] {
  return pieces.map(({ text, from, to }) => ({ text, from, to }));
}
