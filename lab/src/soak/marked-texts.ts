import type { Random } from "../random.ts";
import { createFiller } from "../survival/filler.ts";

/** Texts that can be told from each other, and how many there were. */
export interface MarkedTexts {
  readonly count: number;
  /** The next one, of about that length. */
  next(characters: number): string;
}

const SOURCE_CHARACTERS = 1_000_000;

/** What is cut out of is like code and logs, so that its tokens are those of real results. */
export function createSource(random: Random): string {
  const filler = createFiller(random);
  let source = "";
  while (source.length < SOURCE_CHARACTERS) source += `${filler.code(filler.file())}\n${filler.log()}\n`;
  return Buffer.from(source).toString();
}

export function createMarkedTexts(name: string, source: string, random: Random): MarkedTexts {
  let count = 0;
  return {
    get count() {
      return count;
    },
    next(characters) {
      const from = random.below(Math.max(1, source.length - characters));
      return `${markOf(name, count++)} ${source.slice(from, from + characters)}`;
    },
  };
}

/** The mark that a text begins with: its name and its number. */
export function markOf(name: string, index: number): string {
  return `«${name} ${index}»`;
}
