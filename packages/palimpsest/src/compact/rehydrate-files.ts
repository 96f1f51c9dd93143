import { findWritten, type LineRange, type WrittenLines } from "./evidence/calls.ts";
import { decayed, type Evidence, type FileEvidence, readFact } from "./evidence/state.ts";

/** A candidate file for rehydration after a compaction. */
export interface RankedFile {
  readonly path: string;
  /** The entry of its newest read or edit. */
  readonly entry: number;
  /** The lines that were read or edited, if known. */
  readonly ranges?: readonly LineRange[];
  /** Where edits stand. */
  readonly written?: readonly WrittenLines[];
  readonly score: number;
}

interface RankFilesOptions {
  /** The newest messages of the user and the model: a file that they name is in work. @default none */
  readonly newestTexts?: readonly string[];
}

// Chosen on half of the sessions of the `recorded-compactions` experiment; 47 files are few, so neighbors do about as well.
/** The time of the last use says most. */
const RECENCY_SCORE = 6;
const RECENCY_ROUNDS = 40;
/** How often it was read and edited, and named. */
const TOUCH_FACTOR = 0.3;
const NAME_FACTOR = 0.2;
const MENTION_SCORE = 1;

/** Ranks the files of a session, the one most likely to be needed next first. */
export function rankFiles(
  { files, facts, round }: Evidence,
  { newestTexts = [] }: RankFilesOptions = {},
): RankedFile[] {
  const named = new Map<string, number>();
  for (const fact of facts.map(readFact)) {
    if (fact.sort === "path") named.set(nameOf(fact.text), (named.get(nameOf(fact.text)) ?? 0) + decayed(fact, round));
  }
  const scoreOf = (file: FileEvidence): number => {
    const name = nameOf(file.path);
    const recency = RECENCY_SCORE * 2 ** ((file.round - round) / RECENCY_ROUNDS);
    const mention = newestTexts.some((text) => text.includes(name)) ? MENTION_SCORE : 0;
    return recency + TOUCH_FACTOR * decayed(file, round) + NAME_FACTOR * (named.get(name) ?? 0) + mention;
  };
  return files
    .map((file) => ({
      path: file.path,
      entry: Math.max(file.readEntry ?? 0, file.editEntry ?? 0),
      ...(file.ranges.length === 0 ? {} : { ranges: file.ranges }),
      written: file.written,
      score: scoreOf(file),
    }))
    .sort((one, other) => other.score - one.score || other.entry - one.entry);
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

interface FileBudgets {
  readonly countTokens: (text: string) => number;
  /** The limit for one file. @default 8,000 */
  readonly perFileTokens?: number;
  /** The limit for all files. @default 50,000 */
  readonly totalTokens?: number;
  /** A larger file is rehydrated in parts, if the lines that were read or edited are known. @default 500 */
  readonly wholeTokens?: number;
  /** Lines added around each part. @default 15 */
  readonly surroundingLines?: number;
}

interface PlannedPart {
  readonly lines: LineRange;
  readonly text: string;
  readonly tokens: number;
}

/** The rehydrated parts of a file. */
export interface PlannedFile {
  readonly path: string;
  /** The lines and the text of each part; a whole file is one part. */
  readonly parts: readonly PlannedPart[];
  readonly extent: "whole" | "parts";
  readonly tokens: number;
}

/** Added to the tokens of each file, so that tiny files do not displace the one in work. */
const FILE_TOKENS = 200;
/** A shorter beginning of a part that is too large is not worth its tokens. */
const LEAST_LINES = 10;

/**
 * Plans which of the ranked files to rehydrate: the most valuable for their tokens first. A file that does not fit is skipped,
 * and a smaller one may follow. From a large file only the lines that were read or edited are taken, with their surroundings,
 * the newest first, so that more files fit.
 */
export function planFiles(
  ranked: readonly RankedFile[],
  contents: ReadonlyMap<string, string>,
  { countTokens, perFileTokens = 8_000, totalTokens = 50_000, wholeTokens = 500, surroundingLines = 15 }: FileBudgets,
): PlannedFile[] {
  const limits = { countTokens, wholeTokens, surroundingLines };
  const candidates = ranked.flatMap(({ path, ranges = [], written = [], score }) => {
    const content = contents.get(path) ?? "";
    const lines = content.split("\n");
    // Edits last: what is newest has the first claim to the room.
    const touched = [
      ...ranges,
      ...written.map((edit) => findWritten(lines, edit)).filter((range) => range !== undefined),
    ];
    const form = (mostTokens: number): PlannedFile | undefined =>
      planFile({ path, content, lines }, touched, { ...limits, mostTokens });
    const tokens = content === "" ? undefined : form(Math.min(perFileTokens, totalTokens))?.tokens;
    return tokens === undefined ? [] : [{ form, worth: score / (FILE_TOKENS + tokens) }];
  });
  const planned: PlannedFile[] = [];
  let leftTokens = totalTokens;
  for (const { form } of candidates.sort((one, other) => other.worth - one.worth)) {
    const file = form(Math.min(perFileTokens, leftTokens));
    if (file === undefined) continue;
    planned.push(file);
    leftTokens -= file.tokens;
  }
  return planned;
}

interface FileText {
  readonly path: string;
  readonly content: string;
  /** Those of the content. */
  readonly lines: readonly string[];
}

interface FileLimits {
  readonly countTokens: (text: string) => number;
  readonly mostTokens: number;
  readonly wholeTokens: number;
  readonly surroundingLines: number;
}

function planFile(
  { path, content, lines }: FileText,
  ranges: readonly LineRange[],
  { countTokens, mostTokens, wholeTokens, surroundingLines }: FileLimits,
): PlannedFile | undefined {
  const tokens = countTokens(content);
  if (tokens <= mostTokens && (tokens <= wholeTokens || ranges.length === 0)) {
    return { path, parts: [{ lines: [1, lines.length], text: content, tokens }], extent: "whole", tokens };
  }
  const parts: PlannedPart[] = [];
  let leftTokens = mostTokens;
  for (const range of widen(ranges, lines.length, surroundingLines).toReversed()) {
    const part = planPart(lines, range, leftTokens, countTokens);
    if (part === undefined) continue;
    parts.push(part);
    leftTokens -= part.tokens;
  }
  if (parts.length === 0) return undefined;
  parts.sort((one, other) => one.lines[0] - other.lines[0]);
  return { path, parts, extent: "parts", tokens: mostTokens - leftTokens };
}

/** Returns a range, or as much of its beginning as fits. */
function planPart(
  lines: readonly string[],
  [first, last]: LineRange,
  mostTokens: number,
  countTokens: (text: string) => number,
): PlannedPart | undefined {
  const partTo = (end: number): PlannedPart => {
    const text = lines.slice(first - 1, end).join("\n");
    return { lines: [first, end], text, tokens: countTokens(text) };
  };
  const whole = partTo(last);
  if (whole.text === "" || whole.tokens <= mostTokens) return whole.text === "" ? undefined : whole;
  const length = Math.floor(((last - first + 1) * mostTokens * 0.95) / whole.tokens);
  const beginning = length < LEAST_LINES ? undefined : partTo(first + length - 1);
  return beginning !== undefined && beginning.tokens <= mostTokens ? beginning : undefined;
}

/** Adds surrounding lines within the file; ranges that meet become one, in the place of the newer. */
function widen(ranges: readonly LineRange[], lineCount: number, surroundingLines: number): LineRange[] {
  const wide: LineRange[] = [];
  for (const [from, to] of ranges) {
    let [first, last] = [Math.max(1, from - surroundingLines), Math.min(lineCount, to + surroundingLines)];
    if (first > last) continue;
    for (const other of wide.splice(0)) {
      if (other[0] > last + 1 || other[1] < first - 1) wide.push(other);
      else [first, last] = [Math.min(first, other[0]), Math.max(last, other[1])];
    }
    wide.push([first, last]);
  }
  return wide;
}
