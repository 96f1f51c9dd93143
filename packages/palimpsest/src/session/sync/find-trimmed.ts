import { extras } from "./align.ts";
import type { OurGroup } from "./conversation.ts";
import type { ListGroup } from "./list-groups.ts";
import { matchGroup } from "./match-group.ts";
import type { Part } from "./to-parts.ts";

/**
 * What a list adds to a log whose end it has, but not its beginning: the framework has dropped the beginning, or put a summary in
 * its place. Undefined if the list is none of that.
 *
 * The list must have all of the log from some point on, with an answer of the model in it, and fewer messages than the log before
 * that point: a list with as many has had one of them edited.
 * @param back the log's groups, newest first
 */
export async function findTrimmed(
  list: readonly ListGroup[],
  back: AsyncIterable<OurGroup>,
): Promise<readonly Part[] | undefined> {
  let at: number | undefined;
  let fresh: readonly Part[] = [];
  let hasAnswer = false;
  let headGroups = 0;
  for await (const own of back) {
    if (at === undefined) {
      const last = list.findLastIndex((group) => fits(group, own));
      if (last < 0) return undefined;
      fresh = [
        ...extras(list[last]!, matchGroup(list[last]!, own)),
        ...list.slice(last + 1).flatMap(({ parts }) => parts),
      ];
      at = last - 1;
      hasAnswer = own.role === "assistant";
      continue;
    }
    const group = list[at];
    const isNext = headGroups === 0 && group !== undefined && goesOn(group, own, at);
    if (isNext) {
      hasAnswer ||= own.role === "assistant";
      at--;
    } else headGroups++;
    // More before that point than the list has: enough is known.
    if (headGroups > at + 1) return hasAnswer ? fresh : undefined;
  }
  return undefined;
}

function fits(group: ListGroup, own: OurGroup): boolean {
  return group.role === own.role && matchGroup(group, own).missingAt === undefined;
}

/** The first group of a list may lack something: it can have been cut in the middle. */
function goesOn(group: ListGroup, own: OurGroup, at: number): boolean {
  if (group.role !== own.role) return false;
  const match = matchGroup(group, own);
  return extras(group, match).length === 0 && (match.missingAt === undefined || (at === 0 && match.matched.size > 0));
}
