import { type Fact, findFacts, findLine } from "./find.ts";
import {
  decayed,
  type Evidence,
  endOf,
  type FactEvidence,
  type FactLine,
  factKeys,
  isSameFile,
  keyOf,
  readFact,
  type StoredFact,
  storeFact,
  thousandths,
} from "./state.ts";

/** How many are kept. The oldest that was never used again is removed first, then the weakest. */
const MAX_FACTS = 5_000;
/** The number of names kept from one listing: its beginning and its end. */
const FACTS_PER_ENTRY = 400;
/** Lines are kept of so many facts: twice of what is ever quoted. */
const MAX_LINES = 600;
/** The weight of an occurrence for being needed again: set by hand, see evidence-lines.ts. */
export const WEIGHTS = { used: 1, introduced: 0.5, given: 1.5, shown: 0.15, read: 1, edit: 2 } as const;

/** The author of the text with a fact. `file`: text that the model writes into a file. */
export type FactSource = FactEvidence["source"] | "file";

interface FactPlace {
  readonly entry: number;
  /** The number of responses before. */
  readonly round: number;
  readonly source: FactSource;
}

interface Facts {
  /** Adds the names and numbers of a text. */
  take(text: string, place: FactPlace): void;
  /** Returns all facts in the order of their last occurrence. */
  stored(): readonly StoredFact[];
  /** Returns the line in which a fact last stood, for the facts that weigh most in a round, in the order of their last occurrence. */
  lines(round: number): readonly FactLine[];
}

/** Names and numbers that a session has used, with the statistics that tell whether they are needed again. */
export function createFacts(start: readonly StoredFact[], startLines: readonly FactLine[]): Facts {
  const facts = new Map(start.map((fact) => [fact[0], readFact(fact)]));
  const lines = new Map(startLines);

  /** Of each file, the form in which it was last named. */
  const pathByEnd = new Map<string, string>();
  indexPaths();

  function indexPaths(): void {
    pathByEnd.clear();
    for (const { text, sort } of facts.values()) if (sort === "path") pathByEnd.set(endOf(text), text);
  }

  /** A file under the form that says most, and what is known of it under any. */
  function findKnown({ text, sort }: Fact): { readonly text: string; readonly known: FactEvidence | undefined } {
    const other = sort === "path" ? pathByEnd.get(endOf(text)) : undefined;
    if (other === undefined || !isSameFile(text, other)) return { text, known: facts.get(text) };
    const [longer, shorter] = other.length > text.length ? [other, text] : [text, other];
    return { text: longer, known: facts.get(longer) ?? facts.get(shorter) };
  }

  /** A line that is too long to be quoted leaves the one before. */
  function takeLine(text: string, known: FactEvidence | undefined, line: string | undefined): void {
    const before = known === undefined ? undefined : lines.get(known.text);
    if (known !== undefined && known.text !== text) lines.delete(known.text);
    const newest = line ?? before;
    if (newest === undefined) lines.delete(text);
    else lines.set(text, newest);
  }

  function takeFact(fact: Fact, { entry, round, source: into }: FactPlace, line: string | undefined): void {
    const source = into === "file" ? "model" : into;
    const { sort, near } = fact;
    const { text, known } = findKnown(fact);
    // Twice in one response is not again.
    if (known !== undefined && source === "model" && known.round >= round) {
      takeLine(known.text, known, line);
      return;
    }
    const isUse = known !== undefined && source === "model";
    const weight = isUse
      ? WEIGHTS.used
      : WEIGHTS[source === "model" ? "introduced" : source === "user" ? "given" : "shown"];
    facts.delete(text);
    if (known !== undefined) facts.delete(known.text);
    if (sort === "path") pathByEnd.set(endOf(text), text);
    facts.set(text, {
      text,
      sort,
      near,
      ...(known?.near === undefined ? {} : { near: known.near }),
      source: known?.source === "user" || source === "user" ? "user" : (known?.source ?? source),
      entry: isUse ? known.entry : entry,
      // A name of code that is written into a file can be read there.
      uses: (known?.uses ?? 0) + (isUse && !(into === "file" && sort === "identifier") ? 1 : 0),
      round,
      weight: thousandths(weight + decayed(known, round)),
    });
    takeLine(text, known, line);
    if (facts.size > MAX_FACTS) forgetFacts(round);
  }

  /** A tenth at once, so that it costs nothing to speak of. */
  function forgetFacts(round: number): void {
    forgetWeakest(MAX_FACTS * 0.9, round);
    indexPaths();
  }

  function forgetWeakest(goal: number, round: number): void {
    for (const { text, uses, source } of facts.values()) {
      if (facts.size <= goal) return;
      if (uses === 0 && source !== "user") facts.delete(text);
    }
    const weakest = [...facts.values()].sort((one, other) => decayed(one, round) - decayed(other, round));
    for (const { text } of weakest.slice(0, facts.size - goal)) facts.delete(text);
  }

  return {
    take(text, place) {
      for (const fact of someOf(findFacts(text, "ends"))) takeFact(fact, place, findLine(text, fact.text));
    },
    stored: () => Array.from(facts.values(), storeFact),
    lines(round) {
      const known = [...facts.values()].flatMap((fact) => {
        const line = lines.get(fact.text);
        return line === undefined ? [] : [{ line: [fact.text, line] as const, weight: decayed(fact, round) }];
      });
      const least =
        known.length <= MAX_LINES ? 0 : known.map(({ weight }) => weight).sort((a, b) => b - a)[MAX_LINES - 1]!;
      return known.flatMap(({ line, weight }) => (weight >= least ? [line] : [])).slice(-MAX_LINES);
    },
  };
}

function someOf(facts: readonly Fact[]): readonly Fact[] {
  if (facts.length <= FACTS_PER_ENTRY) return facts;
  return [...facts.slice(0, FACTS_PER_ENTRY / 2), ...facts.slice(-FACTS_PER_ENTRY / 2)];
}

interface QuoteOptions {
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
