import { createSearch, type UsedFact } from "./facts.ts";
import { type Need, plainLine } from "./needs.ts";

/** The content of a part of a request: whole items of the recording, or text that stands for something. */
export type Shown = { readonly kind: "items"; readonly items: readonly number[] } | MadeWords;

/** A stub, a preview, a summary, notes: searched only if something is missing. */
export interface MadeWords {
  readonly kind: "words";
  readonly text: string;
  search?: (fact: UsedFact) => boolean;
  /** The same lines without numbers and indentation. */
  plain?: string;
}

/** Needs of all responses so far, and how many of them their requests met. */
export interface NeedCounts {
  readonly needs: number;
  /** A text in view names the same thing. */
  readonly met: number;
  /** The item that showed it is in view, or the line of it: a bare name is not enough. */
  readonly strict: number;
  /** Of all needs, the lines that edits replace. */
  readonly lines: number;
  readonly linesMet: number;
  /** Content that had to be fetched again. */
  readonly refetches: number;
}

/** Whether everything that a response needs is in its request, and what must be fetched again if not. */
export interface NeedCheck {
  /** Items to fetch again: each where missing content was last seen. */
  missing(needs: readonly Need[], shown: Iterable<Shown>): readonly number[];
  readonly counts: NeedCounts;
}

export function createNeedCheck(): NeedCheck {
  const counts = { needs: 0, met: 0, strict: 0, lines: 0, linesMet: 0, refetches: 0 };
  const seenAt: number[] = [];
  let looks = 0;
  return {
    counts,
    missing(needs, shown) {
      looks++;
      const words: MadeWords[] = [];
      for (const part of shown) {
        if (part.kind === "words") words.push(part);
        else for (const item of part.items) seenAt[item] = looks;
      }
      const missing = new Set<number>();
      for (const need of needs) {
        const isShown = need.shownBy.some((item) => seenAt[item] === looks);
        const isMet = isShown || words.some((made) => tells(made, need));
        const isLine = need.of.kind === "line";
        counts.needs++;
        if (isLine) counts.lines++;
        if (!isMet) missing.add(need.shownBy.at(-1)!);
        else {
          counts.met++;
          if (isLine) counts.linesMet++;
          if (isShown || isLine || words.some((made) => quotes(made, need))) counts.strict++;
        }
      }
      counts.refetches += missing.size;
      return [...missing];
    },
  };
}

function tells(made: MadeWords, { of }: Need): boolean {
  if (of.kind === "line") return made.text.includes(of.line);
  made.search ??= createSearch(made.text);
  return made.search(of.fact);
}

/** Whether one of the lines in which the fact was shown is here. */
function quotes(made: MadeWords, need: Need): boolean {
  made.plain ??= made.text.split("\n").map(plainLine).join("\n");
  const { plain } = made;
  return need.linesShown().some((line) => plain.includes(line));
}
