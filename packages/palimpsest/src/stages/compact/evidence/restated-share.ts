import { lazyPattern } from "../../../log/lazy-pattern.ts";

const RUN_WORDS = 3;

/** Returns how much of a sentence occurs in a text: the share of its runs of three words. */
export function restatedShare(sentence: string, text: string): number {
  const runs = runsOf(sentence);
  if (runs.length === 0) return 0;
  const said = new Set(runsOf(text));
  return runs.filter((run) => said.has(run)).length / runs.length;
}

const wordPattern = lazyPattern(String.raw`[\p{L}\p{N}]+`, "gu");

function runsOf(text: string): string[] {
  const words = text.toLowerCase().match(wordPattern()) ?? [];
  return words.slice(RUN_WORDS - 1).map((_, index) => words.slice(index, index + RUN_WORDS).join(" "));
}
