import type { ContestantFigures, GauntletSize } from "./run-gauntlet.ts";

/** A line of lab/gauntlet/results.jsonl. */
export interface KeptResult extends Partial<ContestantFigures> {
  readonly contestant: string;
  readonly size: GauntletSize;
}

const HEADER = [
  "contestant",
  "V: faults without harm",
  "F: in view %",
  "in view %, kinds that our evidence does not collect",
  "lost %",
  "C: $ a turn",
  "to a perfect cache",
  "R: trials gone on",
  "L: ms between requests",
];

/** The table of one size, as markdown: of each contestant, the newest figures of its newest version. @param names all contestants, in order */
export function resultsTable(kept: readonly KeptResult[], size: GauntletSize, names: readonly string[]): string {
  const rows = names.flatMap((name) => {
    const own = kept.filter((one) => one.contestant === name && one.size === size);
    const newest = own.at(-1);
    if (newest === undefined) return [];
    // Axes may have been run one after the other, each with a line of its own.
    const lines: object[] = own.filter(({ version }) => version === newest.version);
    return [toRow(Object.assign({}, ...lines, { contestant: name, size }))];
  });
  return [HEADER, HEADER.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function toRow({ contestant, V, F, C, R, L }: KeptResult): readonly string[] {
  const stuck = F?.stuck_after_windows;
  const shares = Object.values(F?.after_windows ?? {}).at(-1);
  const trials = Object.values(R ?? {});
  const between = L?.between_requests_ms.last_tenth;
  return [
    stuck === undefined ? contestant : `${contestant} (stuck after ${stuck} windows)`,
    V === undefined ? "" : `${V.clean} of ${V.kinds}`,
    ...[shares?.in_view_pct, shares?.uncollected_in_view_pct, shares?.lost_pct].map((share) => share?.toFixed(1) ?? ""),
    C?.usd_per_turn?.toFixed(4) ?? "",
    C?.ratio_to_perfect_cache.toFixed(2) ?? "",
    `${trials.filter(({ went_on }) => went_on).length} of ${trials.length}`,
    between == null ? "" : between.toFixed(0),
  ];
}

/** The page with this table in the place of the one that it has of the size. */
export function withTable(page: string, size: GauntletSize, table: string): string {
  const begin = `<!-- results of size ${size}, by npm run generate -->`;
  const end = `<!-- end of results of size ${size} -->`;
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page needs the lines ${begin} and ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
}
