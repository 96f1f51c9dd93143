import type { OurGroup } from "./conversation.ts";
import type { ListGroup } from "./list-groups.ts";
import { type GroupMatch, matchGroup } from "./match-group.ts";
import type { Part } from "./to-parts.ts";

/** What makes a log say what a list says. */
export interface Alignment {
  /** The entry to cut at; absent if nothing has to go. */
  readonly cutAt?: number;
  /** What is to be appended then. */
  readonly fresh: readonly Part[];
  readonly altered: readonly number[];
  /** How many groups of the list were found in whole before the first difference. */
  readonly groups: number;
}

/** Walks through a list and a log, group by group, to the first difference. */
export async function align(list: readonly ListGroup[], ours: AsyncIterable<OurGroup>): Promise<Alignment> {
  const altered: number[] = [];
  let index = 0;
  let before: GroupMatch | undefined;
  for await (const own of ours) {
    const required = own.entries.find(({ presence }) => presence === "required");
    const group = list[index];
    // The list has something that the log has not, and the log goes on: an insertion.
    const extra = before === undefined ? [] : extras(list[index - 1]!, before);
    const fits = group?.role === own.role && extra.length === 0;
    if (!fits && required === undefined) continue;
    if (!fits) {
      const cutAt = required!.cutAt;
      return { cutAt, fresh: [...extra, ...partsFrom(list, index)], altered, groups: index };
    }
    const match = matchGroup(group, own);
    altered.push(...match.altered);
    const { missingAt, matched } = match;
    if (missingAt !== undefined) {
      const again = group.parts.filter((part) => (matched.get(part) ?? missingAt) >= missingAt);
      return { cutAt: missingAt, fresh: [...again, ...partsFrom(list, index + 1)], altered, groups: index };
    }
    before = match;
    index++;
  }
  const extra = before === undefined ? [] : extras(list[index - 1]!, before);
  return { fresh: [...extra, ...partsFrom(list, index)], altered, groups: index };
}

/** Parts of a group that the log does not have. Thinking is fresh with the words and calls of its message. */
export function extras(group: ListGroup, { matched }: GroupMatch): readonly Part[] {
  const fresh = group.parts.filter((part) => part.stream !== "silent" && !matched.has(part));
  const found = new Set(group.parts.filter((part) => matched.has(part)).map(({ of }) => of));
  const messages = new Set(fresh.map(({ of }) => of).filter((of) => !found.has(of)));
  return group.parts.filter((part) => (part.stream === "silent" ? messages.has(part.of) : fresh.includes(part)));
}

function partsFrom(list: readonly ListGroup[], index: number): readonly Part[] {
  return list.slice(index).flatMap(({ parts }) => parts);
}
