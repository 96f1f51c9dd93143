// Parts that are shown as attachments behind the message: files in use, texts that the host knows better than any summary, and images.

import type { Media } from "../../log/block.ts";
import { HOST, type Provenance } from "../../log/provenance.ts";
import type { KeepPart, LoadedItem, LogMessage, PartText, PlannedItem, Room } from "../../policy/policy.ts";
import { A_COUNT, checkAllOptions, MAYBE_A_COUNT } from "../../schema/check-options.ts";
import { findWritten, type LineRange, type WrittenLines } from "../evidence/calls.ts";
import { decayed, type Evidence, type FileEvidence, readFact } from "../evidence/state.ts";
import { fitEach } from "./fit.ts";
import { type EngineMaterial, IMAGES } from "./knowledge.ts";

interface FilesNumbers {
  readonly maxTokens: number;
  /** The limit of one file. @default 8,000 */
  readonly eachTokens?: number;
  /** So many files are read. Most are small, and some no longer exist. @default 40 */
  readonly count?: number;
  readonly share?: number;
}

/** The newest messages: a file that they name is in use. */
const NEWEST_MESSAGES = 6;

/** The files in use, as they are now. A file that is still in view is not shown twice. */
export function files(numbers: FilesNumbers): KeepPart {
  checkAllOptions("files", numbers, {
    maxTokens: A_COUNT,
    eachTokens: MAYBE_A_COUNT,
    count: MAYBE_A_COUNT,
    share: MAYBE_A_COUNT,
  });
  const { maxTokens, eachTokens = 8_000, count = 40, share = 0.18 } = numbers;
  return {
    name: "files",
    params: { maxTokens, eachTokens, count, share },
    budget: { maxTokens, share },
    plan({ evidence, summary = "", shownFiles, compacted, userMessages }: EngineMaterial) {
      const newest = compacted.slice(-NEWEST_MESSAGES).map(({ text }) => text);
      const newestTexts = [summary, ...userMessages.map(({ text }) => text), ...newest];
      return rankFiles(evidence, { newestTexts })
        .filter(({ path }) => !shownFiles.has(path))
        .slice(0, count)
        .map((file) => ({ key: file.path, entry: file.entry, from: { kind: "file", path: file.path }, data: file }));
    },
    render: (items, room) => fileTexts(items, room, eachTokens),
  };
}

/** The heading of a file. */
const HEADING_TOKENS = 30;

function fileTexts(items: readonly LoadedItem[], room: Room, perFileTokens: number): readonly PartText[] {
  const ranked = items.map(({ data }) => data as RankedFile);
  const contents = new Map(items.map(({ key, text }) => [key, text]));
  const headings = Math.min(items.length, 10) * HEADING_TOKENS;
  for (let totalTokens = room.tokens - Math.min(headings, room.tokens / 10); ; totalTokens *= 0.9) {
    const planned = planFiles(ranked, contents, { countTokens: room.count, perFileTokens, totalTokens });
    const texts = planned.map(fileText);
    const tokens = texts.reduce((sum, { heading, text }) => sum + room.count(`${heading}\n${text}`), 0);
    if (tokens <= room.tokens || planned.length === 0) return texts;
  }
}

function fileText({ path, parts, extent }: PlannedFile): PartText {
  const texts = parts.map(({ lines: [first, last], text }) =>
    extent === "whole" ? text : `[lines ${first} to ${last}]\n${text}`,
  );
  const what = extent === "whole" ? "as it is now" : "the parts that were worked on, as they are now";
  const provenance = { kind: "outside", name: path } as const;
  return { heading: `${path}, ${what}:`, text: texts.join("\n"), provenance, attachment: "file" };
}

// ------------------------------------------------------------------------------------------------ which files, and which of their lines

/** A file that a compaction may show again. */
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
  /** A larger file is shown in parts, if the lines that were read or edited are known. @default 500 */
  readonly wholeTokens?: number;
  /** Lines added around each part. @default 15 */
  readonly surroundingLines?: number;
}

interface PlannedPart {
  readonly lines: LineRange;
  readonly text: string;
  readonly tokens: number;
}

/** The parts of a file that are shown again. */
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
 * Plans which of the ranked files to show again: the most valuable for their tokens first. A file that does not fit is skipped,
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

// ------------------------------------------------------------------------------------------------ texts of the host

interface Numbers {
  readonly maxTokens: number;
  readonly share?: number;
}

interface EachNumbers extends Numbers {
  /** The limit of one text. @default 5,000 for skills, maxTokens for rules of folders */
  readonly eachTokens?: number;
}

const NUMBERS = { maxTokens: A_COUNT, share: MAYBE_A_COUNT };
const EACH = { ...NUMBERS, eachTokens: MAYBE_A_COUNT };

/** Skills that were used, the newest first. */
export function skills(numbers: EachNumbers): KeepPart {
  checkAllOptions("skills", numbers, EACH);
  const { maxTokens, eachTokens = 5_000, share = 0.05 } = numbers;
  return {
    name: "skills",
    params: { maxTokens, eachTokens, share },
    budget: { maxTokens, share },
    plan: () => [hostItem("skills", { kind: "project" })],
    render: (items, room) =>
      fitEach(items, room, {
        eachTokens,
        heading: ({ key }) => `Skill ${key}:`,
        rest: () => "use the skill again",
        attachment: () => "skill",
      }),
  };
}

/** A plan of this size is never displaced by files. */
const WHOLE_PLAN_TOKENS = 4_000;

/** The plan, and the rules of plan mode while it is on. */
export function plan(numbers: Numbers): KeepPart {
  checkAllOptions("plan", numbers, NUMBERS);
  const { maxTokens, share = 0.05 } = numbers;
  return {
    name: "plan",
    params: { maxTokens, share },
    budget: { maxTokens, share, minTokens: Math.min(maxTokens, WHOLE_PLAN_TOKENS) },
    plan: () => [hostItem("plan", { kind: "model" }), hostItem("planMode", HOST)],
    render: (items, room) =>
      fitEach(items, room, {
        heading: ({ key }) => (key === "plan" ? "The plan, as it stands:" : "The plan is still being made:"),
        rest: inFile,
        attachment: ({ key }) => (key === "plan" ? "plan" : "plan-mode"),
      }),
  };
}

const SERVERS: Provenance = { kind: "tool", name: "servers" };

/** Tools that the conversation announced, and the instructions of tool servers. */
export function tools(numbers: Numbers): KeepPart {
  checkAllOptions("tools", numbers, NUMBERS);
  const { maxTokens, share = 0.05 } = numbers;
  return {
    name: "tools",
    params: { maxTokens, share },
    budget: { maxTokens, share },
    plan: () => [hostItem("tools", SERVERS), hostItem("toolInstructions", SERVERS)],
    render: (items, room) =>
      fitEach(items, room, {
        heading: ({ key }) => (key === "tools" ? "Tools, as they were announced:" : "How these tools are to be used:"),
        rest: inFile,
        attachment: ({ key }) => (key === "tools" ? "tools" : "tool-instructions"),
      }),
  };
}

const PROJECT: Provenance = { kind: "project" };
/** The number of files in use that the host is told about. */
const MAX_FILES = 40;

/** Instruction files of the folders in use, unless they are in view. */
export function folderRules(numbers: EachNumbers): KeepPart {
  checkAllOptions("folderRules", numbers, EACH);
  const { maxTokens, eachTokens = maxTokens, share = 0.05 } = numbers;
  return {
    name: "folderRules",
    params: { maxTokens, eachTokens, share },
    budget: { maxTokens, share },
    plan({ evidence, summary = "" }: EngineMaterial) {
      // The host knows which folders have rules. It is told which files are in use.
      const files = rankFiles(evidence, { newestTexts: [summary] }).map(({ path }) => path);
      const from = { kind: "host", name: "folderRules", of: files.slice(0, MAX_FILES), provenance: PROJECT } as const;
      return [{ key: "folderRules", from }];
    },
    render: (items, room) =>
      fitEach(
        items.filter(({ text }) => !room.shown.includes(text)),
        room,
        {
          eachTokens,
          heading: ({ key }) => `Rules from ${key}:`,
          rest: inFile,
          attachment: () => "folder-rules",
        },
      ),
  };
}

function hostItem(name: string, provenance: Provenance): PlannedItem {
  return { key: name, from: { kind: "host", name, provenance } };
}

function inFile({ path }: LoadedItem): string {
  return path === undefined ? "ask for them, or search with recall" : `read them in ${path}`;
}

// ------------------------------------------------------------------------------------------------ images

export interface ImagesOptions {
  /** The number of images. */
  readonly newest: number;
  readonly maxTokens: number;
  /** @default 0.05 */
  readonly share?: number;
}

/** The newest images of the user and of tools, as images. An image that a provider has refused is not among them. */
export function images(options: ImagesOptions): KeepPart {
  checkAllOptions("images", options, { newest: A_COUNT, maxTokens: A_COUNT, share: MAYBE_A_COUNT });
  const { newest, maxTokens, share = 0.05 } = options;
  return {
    name: "images",
    params: { newest, maxTokens, share },
    budget: { maxTokens, share },
    plan({ compacted }) {
      const seen = new Set<string>();
      const isNew = ({ media }: PlannedItem): boolean => {
        const key = JSON.stringify(media);
        return !seen.has(key) && seen.add(key) !== undefined;
      };
      return compacted.flatMap(imagesOf).toReversed().filter(isNew).slice(0, newest);
    },
    render(items, room) {
      const shown: LoadedItem[] = [];
      let left = room.tokens;
      // The newest image is the first item.
      for (const item of items) {
        if (item.tokens > left) continue;
        left -= item.tokens;
        shown.unshift(item);
      }
      return shown.map(imageText);
    },
  };
}

/** What the caption of an image begins with. It names the entry that first had the image. */
const CAPTION = "Image from entry ";

function imagesOf({ entry, provenance, text, media }: LogMessage): readonly PlannedItem[] {
  // An earlier compaction has shown the image again, with its caption.
  const caption = text.startsWith(CAPTION) ? text : `${CAPTION}${entry}, from before the summary:`;
  return media.flatMap((one, index): PlannedItem[] => {
    if (one.kind !== "image") return [];
    const key = `${entry}, image ${index + 1}`;
    return [{ key, entry, from: { kind: "text", text: caption, provenance: shownAs(provenance) }, media: one }];
  });
}

/** An attachment is never the user's own words. */
function shownAs(provenance: Provenance): Provenance {
  return provenance.kind === "user" ? { kind: "outside", name: "image of the user" } : provenance;
}

function imageText(item: LoadedItem): PartText {
  const media: readonly Media[] = item.media === undefined ? [] : [item.media];
  return { heading: "", text: item.text, provenance: item.provenance, attachment: IMAGES, media };
}
