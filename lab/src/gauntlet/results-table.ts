import type { ContestantFigures, GauntletSize } from "./run-gauntlet.ts";

/** A line of lab/gauntlet/results.jsonl. */
export interface KeptResult extends Partial<ContestantFigures> {
  readonly contestant: string;
  readonly size: GauntletSize;
  /** Lines of all other axes than the course may have none. */
  readonly windowTokens?: number;
}

/** The window of every size but `quick`. */
const WINDOW_TOKENS = 48_000;

const HEADER = [
  "contestant",
  "V: faults without harm",
  "F: in view %",
  "in view %, kinds that no rule knows",
  "lost %",
  "C: $ a turn",
  "to a perfect cache",
  "R: trials gone on",
  "L: ms between requests",
];

/** The table of one size, as markdown: of each contestant, the newest figures of its newest version. @param names all contestants, in order */
export function resultsTable(kept: readonly KeptResult[], size: GauntletSize, names: readonly string[]): string {
  const rows = names.flatMap((name) => {
    const own = kept.filter((one) => {
      return one.contestant === name && one.size === size && (one.windowTokens ?? WINDOW_TOKENS) === WINDOW_TOKENS;
    });
    const newest = own.at(-1);
    if (newest === undefined) return [];
    // Axes may have been run one after the other, each with a line of its own.
    const lines: object[] = own.filter(({ version }) => version === newest.version);
    return [toRow(Object.assign({}, ...lines, { contestant: name, size }))];
  });
  return tableOf(HEADER, rows);
}

const HEADER_OF_WINDOWS = [
  "contestant",
  "window",
  "F: in view %",
  "in view %, kinds that no rule knows",
  "lost %",
  "C: $ a turn",
  "to a perfect cache",
];

/** The table of the course in other windows, as markdown. @param names all contestants, in order */
export function windowsTable(kept: readonly KeptResult[], names: readonly string[]): string {
  const rows = names.flatMap((name) => {
    const own = kept.filter(({ contestant, windowTokens, F }) => {
      return contestant === name && F !== undefined && (windowTokens ?? WINDOW_TOKENS) !== WINDOW_TOKENS;
    });
    const newest = new Map(own.map((one) => [one.windowTokens!, one]));
    return [...newest].sort(([one], [other]) => one - other).map(([window, one]) => toRowOfWindow(window, one));
  });
  return tableOf(HEADER_OF_WINDOWS, rows);
}

function toRowOfWindow(windowTokens: number, { contestant, F, C }: KeptResult): readonly string[] {
  return [contestant, windowTokens.toLocaleString("en-US"), ...sharesOf(F), ...pricesOf(C)];
}

function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** After the last window: facts in view, those of kinds that no rule knows, and lost ones. */
function sharesOf(F: KeptResult["F"]): readonly string[] {
  const shares = Object.values(F?.after_windows ?? {}).at(-1);
  return [shares?.in_view_pct, shares?.uncollected_in_view_pct, shares?.lost_pct].map((one) => one?.toFixed(1) ?? "");
}

function pricesOf(C: KeptResult["C"]): readonly string[] {
  return [C?.usd_per_turn?.toFixed(4) ?? "", C?.ratio_to_perfect_cache.toFixed(2) ?? ""];
}

function toRow({ contestant, V, F, C, R, L }: KeptResult): readonly string[] {
  const stuck = F?.stuck_after_windows;
  const trials = Object.values(R ?? {});
  const between = L?.between_requests_ms.last_tenth;
  return [
    stuck === undefined ? contestant : `${contestant} (stuck after ${stuck} windows)`,
    V === undefined ? "" : `${V.clean} of ${V.kinds}`,
    ...sharesOf(F),
    ...pricesOf(C),
    `${trials.filter(({ went_on }) => went_on).length} of ${trials.length}`,
    between == null ? "" : between.toFixed(0),
  ];
}

/** The page with this table in the place of the one that it has. @param of `size full`, or `other windows` */
export function withTable(page: string, of: string, table: string): string {
  const begin = `<!-- results of ${of}, by npm run generate -->`;
  const end = `<!-- end of results of ${of} -->`;
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page needs the lines ${begin} and ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
}
