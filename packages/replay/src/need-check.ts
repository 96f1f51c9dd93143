import { createSearch, type UsedFact } from "./facts.ts";
import type { Need } from "./needs.ts";

/** The content of a part of a request: whole items of the recording, or text that stands for something. */
export type Shown = { readonly kind: "items"; readonly items: readonly number[] } | MadeWords;

/** A stub, a preview, a summary, notes: searched only if something is missing. */
export interface MadeWords {
  readonly kind: "words";
  readonly text: string;
  search?: (fact: UsedFact) => boolean;
}

/** Whether everything that a response needs is in its request, and what must be fetched again if not. */
export interface NeedCheck {
  /** Items to fetch again: each where missing content was last seen. */
  missing(needs: readonly Need[], shown: Iterable<Shown>): readonly number[];
  readonly counts: { readonly needs: number; readonly met: number; readonly refetches: number };
}

export function createNeedCheck(): NeedCheck {
  const counts = { needs: 0, met: 0, refetches: 0 };
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
      const unmet = needs.filter(
        (need) => !need.shownBy.some((item) => seenAt[item] === looks) && !words.some((made) => tells(made, need)),
      );
      const missing = [...new Set(unmet.map(({ shownBy }) => shownBy.at(-1)!))];
      counts.needs += needs.length;
      counts.met += needs.length - unmet.length;
      counts.refetches += missing.length;
      return missing;
    },
  };
}

function tells(made: MadeWords, { of }: Need): boolean {
  if (of.kind === "line") return made.text.includes(of.line);
  made.search ??= createSearch(made.text);
  return made.search(of.fact);
}
