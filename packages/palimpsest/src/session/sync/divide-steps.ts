import type { OurGroup } from "./conversation.ts";
import type { ListGroup } from "./list-groups.ts";
import type { Part } from "./to-parts.ts";

/**
 * A list in which several answers stand as one: their calls, then all results. Some frameworks write a turn with several steps so.
 * Divides them as the log has them. Returns the list itself if there is nothing to divide.
 */
export async function divideSteps(
  list: readonly ListGroup[],
  ours: AsyncIterable<OurGroup>,
): Promise<readonly ListGroup[]> {
  const steps = new Map<string, number>();
  let step = 0;
  for await (const { entries } of ours) {
    step++;
    for (const { key } of entries.flatMap(({ parts }) => parts.filter(isCall))) steps.set(key, step);
  }
  const divided = list.flatMap((group, index) => {
    const results = list[index + 1];
    const before = list[index - 1];
    if (group.role === "assistant") return divide(group, results, steps) ?? [group];
    // Results stand beside the calls that they were divided with.
    return before !== undefined && divide(before, group, steps) !== undefined ? [] : [group];
  });
  return divided.length === list.length ? list : divided;
}

function divide(
  calls: ListGroup,
  results: ListGroup | undefined,
  steps: ReadonlyMap<string, number>,
): readonly ListGroup[] | undefined {
  const runs = runsOf(calls.parts, steps);
  if (runs.length < 2 || results === undefined) return undefined;
  let left = results.parts;
  return runs.flatMap((parts, index) => {
    const keys = new Set(parts.filter(isCall).map(({ key }) => key));
    const isLast = index === runs.length - 1;
    const own = left.filter((part) => isLast || (part.stream === "result" && keys.has(part.key)));
    left = left.filter((part) => !own.includes(part));
    const step: ListGroup = { role: "assistant", parts, ids: calls.ids };
    return own.length === 0 ? [step] : [step, { role: "user", parts: own, ids: results.ids }];
  });
}

/** The parts of each answer. Words and thinking belong to the call that follows them. */
function runsOf(parts: readonly Part[], steps: ReadonlyMap<string, number>): readonly (readonly Part[])[] {
  const runs: Part[][] = [[]];
  let words: Part[] = [];
  let current: number | undefined;
  for (const part of parts) {
    if (!isCall(part)) {
      words.push(part);
      continue;
    }
    const step = steps.get(part.key);
    if (current !== undefined && step !== undefined && step !== current) runs.push([]);
    current = step ?? current;
    runs.at(-1)!.push(...words, part);
    words = [];
  }
  runs.at(-1)!.push(...words);
  return runs;
}

function isCall({ stream }: Part): boolean {
  return stream === "call";
}
