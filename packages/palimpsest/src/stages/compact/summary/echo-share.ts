import { lazyPattern } from "../../../log/lazy-pattern.ts";

/** This many equal words in a row are not a coincidence. */
const RUN_WORDS = 8;
const FACTOR = 0x01000193;
/** The hash factor of the word that leaves a run. */
const LEAVING = Array.from({ length: RUN_WORDS - 1 }).reduce((power: number) => Math.imul(power, FACTOR), 1);

/**
 * Returns how much of a text was copied: the share of its runs of eight words that also occur in the source.
 * Whitespace, case and punctuation are ignored. Time grows with the source, memory with the words of the text.
 */
export function echoShare(text: string, source: string): number {
  const runs = new Map<number, number>();
  let count = 0;
  eachRun(text, (hash) => {
    count++;
    runs.set(hash, (runs.get(hash) ?? 0) + 1);
  });
  let copied = 0;
  if (count > 0)
    eachRun(source, (hash) => {
      copied += runs.get(hash) ?? 0;
      runs.delete(hash);
    });
  return count === 0 ? 0 : copied / count;
}

const wordPattern = lazyPattern(String.raw`[\p{L}\p{N}]+`, "gu");

/** A rolling hash, so that a conversation of millions of words is read once. */
function eachRun(text: string, visit: (hash: number) => void): void {
  const words: number[] = [];
  let hash = 0;
  for (const [word] of text.matchAll(wordPattern())) {
    const leaving = words.length < RUN_WORDS ? 0 : words[words.length - RUN_WORDS]!;
    const entering = hashOf(word.toLowerCase());
    hash = (Math.imul((hash - Math.imul(leaving, LEAVING)) | 0, FACTOR) + entering) | 0;
    words.push(entering);
    if (words.length >= RUN_WORDS) visit(hash);
    if (words.length > 4096) words.splice(0, words.length - RUN_WORDS);
  }
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), FACTOR);
  return hash;
}
