import { type Evidence, type FileEvidence, readFact } from "../../../compact/evidence/state.ts";
import { decayed } from "../evidence/evidence-parts.ts";
import type { LineRange, WrittenLines } from "../evidence/file-touch.ts";

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

export interface RankFilesOptions {
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
      ...(file.written === undefined ? {} : { written: file.written }),
      score: scoreOf(file),
    }))
    .sort((one, other) => other.score - one.score || other.entry - one.entry);
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
