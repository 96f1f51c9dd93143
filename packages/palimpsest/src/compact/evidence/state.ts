// The evidence as plain JSON, with bounded lists.

import type { FileTouch, LineRange, WrittenLines } from "./calls.ts";
import { type Fact, type FactSort, findFacts } from "./find.ts";

/** When something was last needed, and how much: the weight halves with time and grows with use. */
interface Weighted {
  /** Counted in responses of the model. */
  readonly round: number;
  readonly weight: number;
}

export interface FileEvidence extends Weighted {
  readonly path: string;
  readonly reads: number;
  readonly edits: number;
  /** The entries of the newest read and of the newest edit. */
  readonly readEntry?: number;
  readonly editEntry?: number;
  /** The lines that were read or edited, if known; the newest last. */
  readonly ranges: readonly LineRange[];
  /** Where the newest edits stand, the newest last. */
  readonly written?: readonly WrittenLines[];
}

export interface CommandEvidence extends Weighted {
  /** Without the folder that it ran in and filters of its output: these change from run to run. */
  readonly command: string;
  /** The same as it was last run, if that is not the same. */
  readonly asRun?: string;
  readonly runs: number;
  /** The number of responses that mention it. */
  readonly mentions: number;
  /** The entry of its newest result, with its outcome. */
  readonly entry: number;
  readonly state: "ok" | "failed";
  readonly exitCode?: number;
  /** The line with the counts of tests or checks. */
  readonly report?: string;
}

export interface ErrorEvidence {
  /** The first lines of the error, verbatim. */
  readonly text: string;
  readonly entry: number;
  /** How often the error occurred, and how many responses mention it. */
  readonly times: number;
  /** The command or file that caused the error. */
  readonly of?: string;
  /** `over`: the same command or file has succeeded since. */
  readonly state: "open" | "over";
  readonly round: number;
}

/** A sentence that corrects, forbids, decides or insists, verbatim. */
export interface RuleEvidence {
  readonly text: string;
  readonly entry: number;
  /** For a decision of the model: when it was last mentioned, and in how many later responses. */
  readonly ofModel?: { readonly round: number; readonly uses: number };
}

export interface FactEvidence extends Weighted {
  readonly text: string;
  readonly sort: FactSort;
  /** The words before a number. */
  readonly near?: string;
  /** The author of the first mention, or the user if the user ever mentioned it. */
  readonly source: "user" | "tool" | "model";
  /** The entry of its last occurrence outside the model's own text, or of its first occurrence there. */
  readonly entry: number;
  /** The number of later responses that contain it. */
  readonly uses: number;
}

/** The stored form: there are thousands of facts, and each compaction boundary carries them. */
export type StoredFact = readonly [
  text: string,
  sort: FactSort,
  source: FactEvidence["source"],
  entry: number,
  uses: number,
  round: number,
  weight: number,
  near?: string,
];

export function storeFact({ text, sort, source, entry, uses, round, weight, near }: FactEvidence): StoredFact {
  const fact = [text, sort, source, entry, uses, round, weight] as const;
  return near === undefined ? fact : [...fact, near];
}

export function readFact([text, sort, source, entry, uses, round, weight, near]: StoredFact): FactEvidence {
  return { text, sort, source, entry, uses, round, weight, near };
}

export type FactLine = readonly [fact: string, line: string];

/** A call without a result so far. */
interface OpenCall {
  readonly id: string;
  readonly files?: readonly FileTouch[];
  readonly command?: string;
  readonly asRun?: string;
}

/** Each list is in the order of the last occurrence, the newest last. */
export interface Evidence {
  readonly version: 1;
  /** The newest entry that was read. */
  readonly newest: number;
  readonly round: number;
  /** The id of the model's newest response. */
  readonly responseId?: string;
  readonly files: readonly FileEvidence[];
  readonly commands: readonly CommandEvidence[];
  readonly errors: readonly ErrorEvidence[];
  readonly rules: readonly RuleEvidence[];
  readonly facts: readonly StoredFact[];
  /** The line in which a fact last stood, word for word, of the facts that weigh most. */
  readonly lines: readonly FactLine[];
  readonly open: readonly OpenCall[];
}

const EMPTY: Evidence = {
  version: 1,
  newest: 0,
  round: 0,
  files: [],
  commands: [],
  errors: [],
  rules: [],
  facts: [],
  lines: [],
  open: [],
};

type Fields = Readonly<Record<string, unknown>>;

/** Required fields of each list, with their types: text or number. */
const SHAPES = {
  files: [["path"], ["reads", "edits", "round", "weight"]],
  commands: [
    ["command", "state"],
    ["runs", "mentions", "entry", "round", "weight"],
  ],
  errors: [
    ["text", "state"],
    ["entry", "times", "round"],
  ],
  rules: [["text"], ["entry"]],
  facts: [
    [0, 1, 2],
    [3, 4, 5, 6],
  ],
  lines: [[0, 1], []],
  open: [["id"], []],
} as const;

const WRITTEN = [["line"], ["before", "after"]] as const;

/** Reads a stored state; returns an empty one if its version or its form is wrong. */
export function readEvidence(stored: unknown): Evidence {
  const fields = typeof stored === "object" && stored !== null ? (stored as Fields) : {};
  const isWhole =
    fields["version"] === 1 &&
    [fields["newest"], fields["round"]].every(Number.isSafeInteger) &&
    Object.entries(SHAPES).every(([name, shape]) => isListOf(fields[name], shape)) &&
    (fields["rules"] as readonly Fields[]).every(({ ofModel }) => ofModel === undefined || isDecision(ofModel)) &&
    (fields["files"] as readonly Fields[]).every(({ ranges }) => Array.isArray(ranges) && ranges.every(isRange)) &&
    (fields["files"] as readonly Fields[]).every(({ written = [] }) => isListOf(written, WRITTEN)) &&
    (fields["open"] as readonly Fields[]).every(({ files = [] }) => isTouched(files));
  return isWhole ? (stored as Evidence) : EMPTY;
}

function isListOf(list: unknown, [texts, numbers]: readonly [readonly PropertyKey[], readonly PropertyKey[]]): boolean {
  return (
    Array.isArray(list) &&
    list.every(
      (element) =>
        typeof element === "object" &&
        element !== null &&
        texts.every((name) => typeof (element as Record<PropertyKey, unknown>)[name] === "string") &&
        numbers.every((name) => Number.isFinite((element as Record<PropertyKey, unknown>)[name])),
    )
  );
}

function isDecision(value: unknown): boolean {
  const { round, uses } = (value ?? {}) as Fields;
  return [round, uses].every(Number.isSafeInteger);
}

function isTouched(files: unknown): boolean {
  if (!isListOf(files, [["path", "access"], []])) return false;
  return (files as readonly Fields[]).every(
    ({ range, written }) =>
      (range === undefined || isRange(range)) && (written === undefined || isListOf([written], WRITTEN)),
  );
}

function isRange(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}

/** The number of rounds after which a need counts half. */
const HALF_LIFE_ROUNDS = 60;
const MAX_RANGES = 8;
/** Ranges this close are joined. */
const NEAR_LINES = 20;

/** Returns a weight as it counts in a later round. */
export function decayed(of: { readonly weight: number; readonly round: number } | undefined, round: number): number {
  return of === undefined ? 0 : of.weight * 2 ** ((of.round - round) / HALF_LIFE_ROUNDS);
}

/** Adds a range of lines, the newest last, and joins ranges that touch it. */
export function addRange(ranges: readonly LineRange[], added: LineRange): LineRange[] {
  let [first, last] = added;
  const apart = ranges.filter(([from, to]) => {
    if (from > last + NEAR_LINES || to < first - NEAR_LINES) return true;
    [first, last] = [Math.min(first, from), Math.max(last, to)];
    return false;
  });
  return [...apart, [first, last] as const].slice(-MAX_RANGES);
}

/** Returns the last two parts of a path, which identify a file in any form of its name. */
export function endOf(path: string): string {
  return path.split(/[\\/]/).slice(-2).join("/");
}

/** The facts of a text, as they are compared: files by the end of their path, which is the same in any form of its name. */
export function factKeys(text: string): string[] {
  return findFacts(text).map(keyOf);
}

export function keyOf({ sort, text }: Pick<Fact, "sort" | "text">): string {
  return sort === "path" ? endOf(text) : text;
}

/** Whether two paths may name one file: commands name it from where they run, other tools from the root. */
export function isSameFile(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return shorter === longer || longer.endsWith(`/${shorter.replace(/^\.\//, "")}`);
}

/** Newest last. If there are too many, the oldest unused one is removed, or else the oldest. */
export function put<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
  limit: number,
  isUsed: (value: Value) => boolean = () => false,
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  for (const [other, held] of map) if (!isUsed(held) && other !== key) return void map.delete(other);
  map.delete(map.keys().next().value!);
}

/** Rounded, so that a stored state is short. */
export function thousandths(weight: number): number {
  return Math.round(weight * 1_000) / 1_000;
}
