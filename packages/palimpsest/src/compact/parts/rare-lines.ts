// Lines of tools and sentences of the model that would be hard to get again, in any language: their words are rare in the session, and
// nothing around them says the same.

import type { Provenance } from "../../log/provenance.ts";
import { lazyPattern } from "../../log/search-text.ts";
import type { KeepPart, LoadedItem, LogMessage, PartText, PlannedItem, Room } from "../../policy/policy.ts";
import { A_COUNT, aValueOf, checkAllOptions, ifGiven, MAYBE_A_COUNT } from "../../schema/check-options.ts";
import { list, text as textSchema } from "../../schema/schema.ts";
import { headOf, tailOf } from "../../text.ts";

export interface RareLinesOptions {
  readonly maxTokens: number;
  /** The part's share of the room. @default 0.05 */
  readonly share?: number;
  /** Tools whose newest result replaces the earlier ones, such as a list of todos. Their lines are left out. @default none */
  readonly exceptTools?: readonly string[];
}

/** Where the lines come from. The user's messages survive in parts of their own. */
const SOURCES: readonly Provenance["kind"][] = ["model", "tool", "agent", "outside"];
/** The beginning and the end of a longer message are read. */
const HEAD_CHARACTERS = 36_000;
const TAIL_CHARACTERS = 24_000;
const MAX_LINES = 5_000;
/** A shorter line says too little, and a longer one takes the room of several others. */
const LINE_CHARACTERS = { least: 8, most: 240 } as const;
/** The number of lines that are kept of one message. */
const LINES_PER_MESSAGE = 12;
/** The size of all kept lines as JSON. When it is reached, the weakest lines are dropped, down to the smaller size. */
const POOL_BYTES = { most: 100_000, left: 70_000 } as const;
/** The counters of each of two rows. A piece has one counter in each row, and counts as the smaller one. */
const CELLS = 4_096;
/** After so many lines, all counts are halved. */
const MAX_COUNTED = 60_000;
/** The limit of the state: the lines, those of one more message, and counters of five digits. */
const MAX_BYTES = 200_000;
/** The best lines, from which those are chosen that the view does not show. */
const PLANNED = 600;

// Chosen with the choosing seeds of the gauntlet (`npm run -s lab -- gauntlet --choosing 1`).
const RARITY_POWER = 2;
const ALONE_POWER = 2;
/** A line with fewer pieces says little. */
const SHORT = { pieces: 4, factor: 0.5 } as const;
/** What is left of the worth of a very old line, and the rounds after which the rest halves. */
const AGE = { left: 0.5, halfLifeRounds: 60 } as const;
const LENGTH_OFFSET = 20;
const LENGTH_POWER = 0.5;
/** The n-th best line of one message counts less, so that no message takes all the room. */
const SAME_MESSAGE_POWER = 0.7;
/** The search ends after so many lines that do not fit. */
const MAX_MISSES = 5;
/** The tags around the lines of one source. */
const TAG_TOKENS = 24;

/**
 * Of a line: the entry and the round in which it was shown last, its place in that message, how much of it nothing around it says, and
 * where it comes from.
 */
type Line = readonly [entry: number, round: number, at: number, alone: number, provenance: Provenance];

/** The collector changes the state in place, because a copy for each message would cost more than the message. */
interface State {
  /** The number of the model's messages. */
  round: number;
  /** The number of lines that were counted. */
  counted: number;
  readonly counts: number[];
  /** By the text of the line after a mark: no text is a name with a meaning, such as `__proto__` or `7`. */
  readonly lines: Record<string, Line>;
  /** The size of the lines as JSON. */
  bytes: number;
}

const MARK = "-";

/**
 * Keeps the lines whose words the session has hardly seen. What was said or shown once, in whatever language, may stand in no file that
 * can be read again, and no rule knows its form.
 */
export function rareLines(options: RareLinesOptions): KeepPart {
  checkAllOptions("rareLines", options, {
    maxTokens: A_COUNT,
    share: MAYBE_A_COUNT,
    exceptTools: ifGiven(aValueOf(list(textSchema()))),
  });
  const { maxTokens, share = 0.05, exceptTools = [] } = options;
  return {
    name: "rareLines",
    params: { maxTokens, share, exceptTools },
    budget: { maxTokens, share },
    rendered: "last",
    collect: {
      version: 1,
      empty: { round: 0, counted: 0, counts: Array.from({ length: 2 * CELLS }, () => 0), lines: {}, bytes: 0 },
      maxBytes: MAX_BYTES,
      add(state, message) {
        const { provenance } = message;
        const isLeftOut = provenance.kind === "tool" && exceptTools.includes(provenance.name);
        if (!isLeftOut) addMessage(state as unknown as State, message);
        return state;
      },
    },
    plan: ({ collected }) =>
      rankLines(collected as unknown as State)
        .slice(0, PLANNED)
        .map(toItem),
    render: chooseLines,
  };
}

// ------------------------------------------------------------------------------------------------ collecting

/** Counts the pieces of a message, and keeps the lines of most worth. */
function addMessage(state: State, { entry, text, provenance }: LogMessage): void {
  const isModel = provenance.kind === "model";
  if (isModel) state.round++;
  if (!SOURCES.includes(provenance.kind)) return;
  const all = linesOf(text, isModel ? "sentences" : "lines").map((line, at) => ({ line, at, pieces: piecesOf(line) }));
  for (const { pieces } of all) countPieces(state, pieces);
  const aloneOf = createAlone(all.map(({ pieces }) => pieces));
  const best = [...new Map(all.map((one) => [one.line, one])).values()]
    .map(({ line, at, pieces }) => {
      const alone = aloneOf(pieces);
      return { line, at, alone, worth: rarityOf(state, pieces) * alone ** ALONE_POWER };
    })
    .sort((one, other) => other.worth - one.worth)
    .slice(0, LINES_PER_MESSAGE);
  for (const { line, at, alone } of best) {
    // A line that is shown again moves to its newest place. What the model said stays the model's.
    const known = Object.hasOwn(state.lines, MARK + line) ? state.lines[MARK + line] : undefined;
    const source = known?.[4].kind === "model" ? known[4] : provenance;
    dropLine(state, MARK + line);
    keepLine(state, MARK + line, [entry, state.round, at, alone, source]);
  }
  if (state.bytes <= POOL_BYTES.most) return;
  for (const { key } of rankLines(state).toReversed()) {
    if (state.bytes <= POOL_BYTES.left) return;
    dropLine(state, key);
  }
}

/** Rates a line by the share of its pieces that no other line of the message has, from 0 to 1. */
function createAlone(lines: readonly (readonly string[])[]): (pieces: readonly string[]) => number {
  const linesWith = new Map<string, number>();
  for (const pieces of lines)
    for (const piece of new Set(pieces)) linesWith.set(piece, (linesWith.get(piece) ?? 0) + 1);
  return (pieces) => {
    const own = pieces.filter((piece) => linesWith.get(piece) === 1).length;
    return Math.round(100 * (LEAST_ALONE + (1 - LEAST_ALONE) * (own / Math.max(1, pieces.length)))) / 100;
  };
}

const LEAST_ALONE = 0.05;

function keepLine(state: State, key: string, line: Line): void {
  state.lines[key] = line;
  state.bytes += bytesOf(key, line);
}

function dropLine(state: State, key: string): void {
  const line = Object.hasOwn(state.lines, key) ? state.lines[key] : undefined;
  if (line === undefined) return;
  state.bytes -= bytesOf(key, line);
  delete state.lines[key];
}

/** The size of a line in the stored state. */
function bytesOf(key: string, line: Line): number {
  return new TextEncoder().encode(`${JSON.stringify(key)}:${JSON.stringify(line)},`).length;
}

/** Some tools number the lines of a file. */
const LINE_NUMBER = /^\s*\d{1,7}[\t\u2192]/;
const betweenSentences = lazyPattern(String.raw`(?<=[.!?:])\s+(?=[\p{Lu}\p{Lo}])|(?<=[\u3002\uFF01\uFF1F])`, "u");

/** The lines of a text, or the sentences of its lines. Long lines are split into sentences, too. */
function linesOf(text: string, into: "lines" | "sentences"): readonly string[] {
  const isLong = text.length > HEAD_CHARACTERS + TAIL_CHARACTERS;
  const ends = isLong ? `${headOf(text, HEAD_CHARACTERS)}\n${tailOf(text, TAIL_CHARACTERS)}` : text;
  const { least, most } = LINE_CHARACTERS;
  return ends
    .toWellFormed()
    .split("\n", MAX_LINES)
    .flatMap((numbered) => {
      const line = numbered.replace(LINE_NUMBER, "").trim();
      return into === "lines" && line.length <= most ? [line] : line.split(betweenSentences());
    })
    .map((line) => line.trim())
    .filter(({ length }) => length >= least && length <= most);
}

// ------------------------------------------------------------------------------------------------ counting

const asciiOnly = /^[ -~\t]*$/;
const asciiPieces = /[A-Z]*[a-z]+|[A-Z]+|\d+/g;
const betweenWords = lazyPattern(String.raw`(?<=\p{Ll})(?=\p{Lu})`, "gu");
const anyPieces = lazyPattern(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}]+|\d+`,
  "gu",
);
const NUMBER = /^\d/;

/** The words of a line in any language, split at capitals: `auditLoader243` is audit, loader and a number. All numbers are alike. */
function piecesOf(text: string): readonly string[] {
  const found = asciiOnly.test(text) ? text.match(asciiPieces) : text.replace(betweenWords(), " ").match(anyPieces());
  return (found ?? []).map((piece) => (NUMBER.test(piece) ? "0" : piece.toLowerCase()));
}

/** The counters of a piece, by its hash: FNV-1a, mixed so that all bits depend on all characters. */
function cellsOf(piece: string): readonly [first: number, second: number] {
  let hash = 0x811c9dc5;
  for (let at = 0; at < piece.length; at++) hash = Math.imul(hash ^ piece.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = (hash ^ (hash >>> 13)) >>> 0;
  return [hash % CELLS, CELLS + (Math.floor(hash / CELLS) % CELLS)];
}

/** Counts each piece of a line once. */
function countPieces(state: State, pieces: readonly string[]): void {
  const { counts } = state;
  for (const piece of new Set(pieces)) {
    const [first, second] = cellsOf(piece);
    // Only the smaller counter is raised, so that pieces that share a counter disturb each other less.
    const next = Math.min(counts[first]!, counts[second]!) + 1;
    counts[first] = Math.max(counts[first]!, next);
    counts[second] = Math.max(counts[second]!, next);
  }
  state.counted++;
  if (state.counted < MAX_COUNTED) return;
  for (const [cell, count] of counts.entries()) counts[cell] = count >> 1;
  state.counted >>= 1;
}

/** From 0 to 1: how unlikely the pieces of a line are, on average. */
function rarityOf({ counts, counted }: State, pieces: readonly string[]): number {
  if (pieces.length === 0) return 0;
  const whole = Math.log(2 + counted);
  const rarities = pieces.map((piece) => {
    const [first, second] = cellsOf(piece);
    return Math.max(0, 1 - Math.log(1 + Math.min(counts[first]!, counts[second]!)) / whole);
  });
  const mean = rarities.reduce((sum, rarity) => sum + rarity, 0) / rarities.length;
  return mean ** RARITY_POWER * (pieces.length < SHORT.pieces ? SHORT.factor : 1);
}

// ------------------------------------------------------------------------------------------------ choosing

interface RankedLine {
  readonly key: string;
  readonly line: Line;
  readonly worth: number;
}

/** All kept lines, the best first. */
function rankLines(state: State): readonly RankedLine[] {
  const lines = Object.entries(state.lines).map(([key, line]) => ({ key, line, worth: worthOf(state, key, line) }));
  return [...Map.groupBy(lines, ({ line: [entry] }) => entry).values()]
    .flatMap((ofMessage) =>
      ofMessage
        .sort((one, other) => other.worth - one.worth)
        .map((one, index) => ({ ...one, worth: one.worth / (1 + index) ** SAME_MESSAGE_POWER })),
    )
    .sort((one, other) => other.worth - one.worth);
}

function worthOf(state: State, key: string, [, round, , alone]: Line): number {
  const age = AGE.left + (1 - AGE.left) * 2 ** ((round - state.round) / AGE.halfLifeRounds);
  const rarity = rarityOf(state, piecesOf(key)) * alone ** ALONE_POWER;
  return (rarity * age) / (LENGTH_OFFSET + key.length) ** LENGTH_POWER;
}

function toItem({ key, line }: RankedLine): PlannedItem {
  const [entry, , , , provenance] = line;
  const text = key.slice(MARK.length);
  return { key: text, entry, from: { kind: "text", text, provenance }, data: line };
}

const HEADING = "Lines that would be hard to get again, word for word:";

/** The best lines that the view does not show, in the order of the log. Lines from one source stand together. */
function chooseLines(items: readonly LoadedItem[], { tokens, shown, summary, count }: Room): readonly PartText[] {
  const frame = count("");
  const view = `${summary ?? ""}\n${shown}`;
  const chosen = new Map<string, LoadedItem>();
  const sources = new Set<string>();
  let left = tokens - count(`${HEADING}\n`);
  let misses = 0;
  for (const item of items) {
    // Lines that differ only in numbers say the same.
    const alike = piecesOf(item.text).join(" ");
    if (chosen.has(alike) || view.includes(item.text)) continue;
    const source = sourceOf(item);
    const cost = count(`- ${item.text}\n`) - frame + (sources.has(source) ? 0 : TAG_TOKENS);
    if (cost > left && ++misses > MAX_MISSES) break;
    if (cost > left) continue;
    left -= cost;
    chosen.set(alike, item);
    sources.add(source);
  }
  const inOrder = [...chosen.values()].sort(byPlace);
  return [...Map.groupBy(inOrder, sourceOf).values()].map((lines, index) => ({
    heading: index === 0 ? HEADING : "",
    text: lines.map(({ text }) => `- ${text}`).join("\n"),
    provenance: lines[0]!.provenance,
  }));
}

function byPlace(one: LoadedItem, other: LoadedItem): number {
  const [entry, , at] = one.data as Line;
  const [otherEntry, , otherAt] = other.data as Line;
  return entry - otherEntry || at - otherAt;
}

function sourceOf({ provenance }: LoadedItem): string {
  return JSON.stringify(provenance);
}
