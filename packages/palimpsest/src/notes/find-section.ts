import type { NotesSection } from "./notes.ts";
import { headingKey } from "./template.ts";

export type FoundSection =
  | { readonly kind: "exact" | "damaged"; readonly section: NotesSection }
  | { readonly kind: "unknown" };

/**
 * The section that is meant by a heading as a model wrote it. Numbers, marks and case do not matter. A heading that is
 * misspelled, cut short or goes on is found if one section is meant, and only one.
 */
export function findSection(written: string, sections: readonly NotesSection[]): FoundSection {
  const key = headingKey(written);
  const exact = sections.find(({ heading }) => headingKey(heading) === key);
  if (exact !== undefined) return { kind: "exact", section: exact };
  const words = key.replace(/^\d+ /, "");
  const like = sections.filter(({ heading }) => isLike(words, headingKey(heading)));
  return like.length === 1 ? { kind: "damaged", section: like[0]! } : { kind: "unknown" };
}

function isLike(written: string, key: string): boolean {
  if (written === "") return false;
  if (`${key} `.startsWith(`${written} `) || `${written} `.startsWith(`${key} `)) return true;
  return distance(written, key) <= Math.max(1, Math.floor(key.length / 6));
}

/** How many letters are to be put in, left out or exchanged to make one of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= other.length; column++) {
      const exchanged = row[column - 1]! + (letter === other[column - 1] ? 0 : 1);
      next.push(Math.min(exchanged, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
