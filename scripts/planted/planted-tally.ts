import type { PlantedBug } from "./planted-bug.ts";

/** How a bug fared. `error`: its tests could not judge it. */
export type Fate =
  | { readonly kind: "caught"; readonly by: string; readonly test: string }
  | { readonly kind: "escaped"; readonly tests: number }
  | { readonly kind: "error"; readonly why: string };

export interface Counts {
  readonly planted: number;
  readonly caught: number;
}

export interface PlantedTally extends Counts {
  readonly escaped: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
  readonly by_series: Readonly<Record<string, Counts>>;
  /** By test, which bugs it caught. */
  readonly caught_by: Readonly<Record<string, readonly string[]>>;
}

/** Counts what became of bugs, in the order of the list. */
export function tallyBugs(fates: readonly { readonly bug: PlantedBug; readonly fate: Fate }[]): PlantedTally {
  const idsOf = (kind: Fate["kind"]): readonly string[] =>
    fates.flatMap(({ bug, fate }) => (fate.kind === kind ? [bug.id] : []));
  const countOf = (some: typeof fates): Counts => ({
    planted: some.length,
    caught: some.filter(({ fate }) => fate.kind === "caught").length,
  });
  const series = Map.groupBy(fates, ({ bug }) => bug.series ?? "first");
  const catches = fates.flatMap(({ bug, fate }) => (fate.kind === "caught" ? [{ id: bug.id, by: fate.by }] : []));
  const byTest = Map.groupBy(catches, ({ by }) => by);
  return {
    ...countOf(fates),
    escaped: idsOf("escaped"),
    errors: Object.fromEntries(fates.flatMap(({ bug, fate }) => (fate.kind === "error" ? [[bug.id, fate.why]] : []))),
    by_series: Object.fromEntries([...series].map(([name, some]) => [name, countOf(some)])),
    caught_by: Object.fromEntries([...byTest].map(([test, some]) => [test, some.map(({ id }) => id)])),
  };
}
