import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Memory, openMemory, recallTopics } from "@palimpsest/memory";
import { createRandom } from "../random.ts";
import type { Question, Remembered } from "./locomo.ts";

export const RANKS = ["5", "10", "20"] as const;
export type Rank = (typeof RANKS)[number];

/** Of the evidence of the questions of one conversation: the percentage found among so many results, and among the shown topics. */
export interface RecallRow extends Readonly<Record<Rank, number>> {
  readonly questions: number;
  /** Through `recallTopics`, with nothing else in view. */
  readonly shown: number;
}

/** What people do not see: everything is stored at once, and is never too large for the limits of a memory. */
const NO_LIMITS = { indexLines: 1_000_000, indexBytes: 1e9, topicBytes: 1e6, descriptionCharacters: 1e6 } as const;

/** Stores the texts as topics of a new memory in a folder, and runs with the memory. */
export async function withMemoryOf<T>(texts: readonly Remembered[], run: (memory: Memory) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-recall-"));
  const memory = await openMemory({ folder, limits: NO_LIMITS });
  try {
    const outcome = await memory.batch("user", "Texts of an experiment", async (batch) => {
      for (const { slug, name, text } of texts) {
        const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
        const written = await batch.write({ slug, name, description: line, type: "project", body: line }, "none");
        if (written.kind !== "written") throw new Error(`${slug} was not written: ${JSON.stringify(written)}`);
      }
    });
    if (outcome.kind !== "written") throw new Error(`Nothing was written: ${JSON.stringify(outcome).slice(0, 300)}`);
    return await run(memory);
  } finally {
    await memory.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures one conversation through the product: files in a folder, `memory.search`, and `recallTopics`. */
export function measureRecall(texts: readonly Remembered[], questions: readonly Question[]): Promise<RecallRow> {
  const evidenceOf = new Map(texts.map(({ slug, evidence }) => [slug, evidence]));
  return withMemoryOf(texts, async (memory) => {
    const sums = { "5": 0, "10": 0, "20": 0, shown: 0 };
    for (const question of questions) {
      const shareOf = (slugs: readonly string[]): number => {
        const seen = new Set(slugs.flatMap((slug) => evidenceOf.get(slug)!));
        return question.evidence.filter((one) => seen.has(one)).length / question.evidence.length;
      };
      const found = (await memory.search(question.text, 20)).map(({ slug }) => slug);
      for (const rank of RANKS) sums[rank] += shareOf(found.slice(0, Number(rank)));
      const shown = await recallTopics({ memory, words: question.text, shown: [], nowMs: Date.now() });
      sums.shown += shareOf(shown?.topics.map(({ slug }) => slug) ?? []);
    }
    const percent = (sum: number): number => (100 * sum) / Math.max(1, questions.length);
    return {
      questions: questions.length,
      "5": percent(sums["5"]),
      "10": percent(sums["10"]),
      "20": percent(sums["20"]),
      shown: percent(sums.shown),
    };
  });
}

/** The mean over all questions of some conversations, to a tenth. */
export function meanOf(rows: readonly RecallRow[], of: Rank | "shown"): number {
  const questions = rows.reduce((sum, row) => sum + row.questions, 0);
  return tenth(rows.reduce((sum, row) => sum + row[of] * row.questions, 0) / questions);
}

const SAMPLES = 10_000;

/**
 * The 95% interval of the difference between two searches, over the same conversations: conversations are drawn with replacement, because
 * the questions of one conversation depend on each other.
 */
export function pairedInterval(
  rows: readonly RecallRow[],
  others: readonly RecallRow[],
  of: Rank | "shown",
): readonly [low: number, high: number] {
  const random = createRandom(`paired ${of}`);
  const differences = Array.from({ length: SAMPLES }, () => {
    const drawn = rows.map(() => random.below(rows.length));
    const questions = drawn.reduce((sum, at) => sum + rows[at]!.questions, 0);
    return drawn.reduce((sum, at) => sum + (rows[at]![of] - others[at]![of]) * rows[at]!.questions, 0) / questions;
  }).toSorted((one, other) => one - other);
  return [tenth(differences[SAMPLES * 0.025]!), tenth(differences[SAMPLES * 0.975]!)];
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
