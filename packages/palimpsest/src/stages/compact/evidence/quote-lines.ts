import { type Evidence, readFact } from "../../../compact/evidence/state.ts";
import { decayed, factKeys, keyOf } from "./evidence-parts.ts";

export interface QuoteOptions {
  /** The maximum size of the text. */
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
  /** Content of the record beside it in the view: a name that occurs there needs no line. @default "" */
  readonly shown?: string;
  /** A summary beside it: it may name a thing without its line, so only lines that it quotes itself are left out. @default "" */
  readonly summary?: string;
}

/** A long line takes the room of several short ones. */
const LENGTH_OFFSET = 20;
const LENGTH_POWER = 0.5;

/**
 * Quotes the lines in which the names and numbers of the evidence last stood, up to the budget: a name says that a thing exists,
 * its line how it is written. Lines of the most and the latest used names come first, for their length. Each line is quoted once,
 * for all names in it.
 */
export function quoteLines(
  evidence: Evidence,
  { budgetTokens, countTokens, shown = "", summary = "" }: QuoteOptions,
): string {
  const { facts, lines, round } = evidence;
  const lineOf = new Map(lines);
  const ranked = facts
    .map(readFact)
    .flatMap((fact) => {
      const line = lineOf.get(fact.text);
      if (line === undefined) return [];
      return [{ key: keyOf(fact), line, worth: decayed(fact, round) / (LENGTH_OFFSET + line.length) ** LENGTH_POWER }];
    })
    .sort((one, other) => other.worth - one.worth);
  const isShown = new Set(factKeys(shown));
  const quoted: string[] = [];
  let leftTokens = budgetTokens;
  for (const { key, line } of ranked) {
    if (isShown.has(key) || summary.includes(line)) continue;
    leftTokens -= countTokens(`- ${line}\n`);
    if (leftTokens < 0) break;
    quoted.push(`- ${line}`);
    for (const told of factKeys(line)) isShown.add(told);
  }
  return quoted.join("\n").toWellFormed();
}
