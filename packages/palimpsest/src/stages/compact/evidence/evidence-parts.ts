import { type Fact, findFacts } from "../../../compact/evidence/find.ts";
import type { LineRange } from "./file-touch.ts";

/** The number of rounds after which a need counts half. */
const HALF_LIFE_ROUNDS = 60;
const MAX_RANGES = 8;
/** Ranges this close are joined. */
const NEAR_LINES = 20;

/** Returns a weight as it counts in a later round. */
export function decayed(of: { readonly weight: number; readonly round: number } | undefined, round: number): number {
  return of === undefined ? 0 : of.weight * 2 ** ((of.round - round) / HALF_LIFE_ROUNDS);
}

/** Adds a range of lines, the newest last, and joins ranges that touch it. */
export function addRange(ranges: readonly LineRange[], added: LineRange): LineRange[] {
  let [first, last] = added;
  const apart = ranges.filter(([from, to]) => {
    if (from > last + NEAR_LINES || to < first - NEAR_LINES) return true;
    [first, last] = [Math.min(first, from), Math.max(last, to)];
    return false;
  });
  return [...apart, [first, last] as const].slice(-MAX_RANGES);
}

/** Returns the last two parts of a path, which identify a file in any form of its name. */
export function endOf(path: string): string {
  return path.split(/[\\/]/).slice(-2).join("/");
}

/** The facts of a text, as they are compared: files by the end of their path, which is the same in any form of its name. */
export function factKeys(text: string): string[] {
  return findFacts(text).map(keyOf);
}

export function keyOf({ sort, text }: Pick<Fact, "sort" | "text">): string {
  return sort === "path" ? endOf(text) : text;
}

/** Whether two paths may name one file: commands name it from where they run, other tools from the root. */
export function isSameFile(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return shorter === longer || longer.endsWith(`/${shorter.replace(/^\.\//, "")}`);
}

/** Newest last. If there are too many, the oldest unused one is removed, or else the oldest. */
export function put<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
  limit: number,
  isUsed: (value: Value) => boolean = () => false,
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  for (const [other, held] of map) if (!isUsed(held) && other !== key) return void map.delete(other);
  map.delete(map.keys().next().value!);
}

/** Rounded, so that a stored state is short. */
export function thousandths(weight: number): number {
  return Math.round(weight * 1_000) / 1_000;
}
