import { CODING_SECTIONS } from "palimpsest/inspect";
import { createRandom } from "../random.ts";
import type { FactSort, PlantedFact } from "./planted-fact.ts";
import { createView } from "./view-search.ts";

/**
 * What summaries keep of each sort, as counted in 43 compactions in the field (vshulcz/deja-vu#543): decisions, paths,
 * commands and numbers. The others were not counted. What users rule is told like what was decided; an id is copied as
 * seldom as a number; for errors the prompt has a section like that for files.
 */
const KEPT: Readonly<Record<FactSort, number>> = {
  decision: 0.77,
  constraint: 0.77,
  path: 0.098,
  error: 0.098,
  number: 0.019,
  id: 0.019,
  command: 0.002,
};

/** By section of the summary, what belongs there. */
const SECTIONS: Readonly<Record<number, readonly FactSort[]>> = {
  2: ["decision"],
  3: ["path"],
  4: ["error"],
  5: ["number", "id"],
  6: ["constraint"],
  8: ["command"],
};

export interface LossySummary {
  /** All that the summarizer can read. */
  readonly source: string;
  readonly facts: readonly PlantedFact[];
  /** Each fact's fate depends on it and on the fact: every summary loses anew. */
  readonly seed: string;
}

/** A summary in nine sections, well-formed and plausible, that keeps as little as real ones do. */
export function lossySummary({ source, facts, seed }: LossySummary): string {
  const has = createView(source);
  const kept = facts.filter((fact) => has(fact) && createRandom(`${seed} ${fact.text}`).happens(KEPT[fact.sort]));
  return Object.keys(CODING_SECTIONS)
    .map((title, index) => {
      const number = index + 1;
      const sorts = SECTIONS[number] ?? [];
      const lines = kept.filter(({ sort }) => sorts.includes(sort)).map((fact) => `- ${told(fact)}`);
      return [`## ${number}. ${title}`, proseOf(`${seed} ${number - 1}`), ...lines].join("\n");
    })
    .join("\n\n");
}

function told({ text, exitCode }: PlantedFact): string {
  return exitCode === undefined ? text : `${text} ended with exit code ${exitCode}`;
}

const WHO = ["The assistant", "The user", "The team", "This stretch of work", "The latest change"];
const DID = ["looked into", "cleaned up", "tested", "rewrote parts of", "asked about", "put off", "came back to"];
const WHAT = ["the loading of orders", "the retries", "the slow start", "the test data", "how reports are cached"];
const HOW = ["step by step", "without a change for callers", "after a failed run", "as was asked", "in small commits"];

function proseOf(seed: string): string {
  const random = createRandom(seed);
  const sentence = (): string =>
    `${random.pick(WHO)} ${random.pick(DID)} ${random.pick(WHAT)} ${random.pick(HOW)}, and then ${random.pick(DID)} ${random.pick(WHAT)}.`;
  return Array.from({ length: 8 + random.below(8) }, sentence).join(" ");
}
