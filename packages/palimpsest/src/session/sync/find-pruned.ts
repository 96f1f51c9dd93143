import { type Alignment, align } from "./align.ts";
import { groupEntries, type OurEntry, type OurGroup } from "./conversation.ts";
import type { ListGroup } from "./list-groups.ts";
import type { Part } from "./to-parts.ts";

export interface Pruned {
  readonly plan: Alignment;
  /** Entries of calls and results that the list lacks. They stay. */
  readonly entries: readonly number[];
}

/**
 * What makes a log say what a list says of which a framework has pruned tool calls and results. Undefined if the list lacks
 * none of them, or only those behind all that it has: then an answer was taken back.
 * @param cutAt where the session would be cut if nothing had been pruned
 */
export async function findPruned(
  list: readonly ListGroup[],
  ours: AsyncIterable<OurGroup>,
  cutAt: number,
): Promise<Pruned | undefined> {
  const ids = new Set(list.flatMap(({ parts }) => parts.filter(isTool).map(({ key }) => key)));
  const [left, pruned]: [OurEntry[], OurEntry[]] = [[], []];
  async function* others(): AsyncGenerator<OurEntry> {
    for await (const { entries } of ours) {
      for (const own of entries) {
        const parts = own.parts.filter((part) => !isTool(part) || ids.has(part.key));
        if (parts.length < own.parts.length) pruned.push(own);
        if (parts.length === 0) continue;
        left.push(own);
        yield { ...own, parts };
      }
    }
  }
  const aligned = await align(list, groupEntries(others()));
  const end = aligned.cutAt ?? Number.POSITIVE_INFINITY;
  const last = left.findLast(({ entry }) => entry < end)?.entry ?? 0;
  // The calls of an entry stand behind its text: the list has nothing behind them, so it has other calls instead, or none.
  if (pruned.some(({ entry }) => entry === last)) return undefined;
  const entries = pruned.map(({ entry }) => entry).filter((entry) => entry < last);
  const behind = pruned.find(({ entry }) => entry > last && entry < end);
  const cut = behind?.cutAt ?? aligned.cutAt;
  if (entries.length === 0 || (cut ?? Number.POSITIVE_INFINITY) <= cutAt) return undefined;
  const { cutAt: _, ...plan } = aligned;
  return { plan: cut === undefined ? plan : { ...plan, cutAt: cut }, entries };
}

function isTool({ stream }: Part): boolean {
  return stream === "call" || stream === "result";
}
