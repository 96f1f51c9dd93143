import { readFileSync } from "node:fs";
import type { LadderFigures, LayerAction, RowFigures } from "./figures.ts";

const PAGE = "docs/guides/policies.md";
const [BEGIN, END] = ["<!-- ladder -->", "<!-- end of ladder -->"];

/** The table in docs/guides/policies.md, from the figures that `npm run -s lab -- ladder --json > docs/ladder.json` printed. */
export function ladderPage(): Readonly<Record<string, string>> {
  const figures = JSON.parse(readFileSync("docs/ladder.json", "utf8")) as LadderFigures;
  const page = readFileSync(PAGE, "utf8");
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${PAGE} has no place for the table of layers: ${BEGIN} ... ${END}`);
  return { [PAGE]: `${page.slice(0, from + BEGIN.length)}\n\n${layersTable(figures)}\n\n${page.slice(to)}` };
}

/** One line for each scenario in which a layer acted, or should have, with the sizes in every program. */
export function layersTable({ models }: Pick<LadderFigures, "models">): string {
  const rows = new Map<string, { readonly action: LayerAction; readonly row: RowFigures }[]>();
  for (const row of models) {
    for (const action of row.layers) {
      const key = `${action.layer}\n${action.acted ? action.scenario : "does not act"}`;
      rows.set(key, [...(rows.get(key) ?? []), { action, row }]);
    }
  }
  const lines = [...rows].map(([key, actions]) => {
    const [layer = "", scenario = ""] = key.split("\n");
    const { acted } = actions[0]!.action;
    const why = [...new Set(actions.map(({ action }) => action.scenario))].join("; ");
    const programs =
      actions.length === models.length ? "all" : actions.map(({ row }) => `${row.via} ${row.model}`).join(", ");
    const cells = acted
      ? [layer, scenario, range(actions.map(({ action }) => action.at_tokens)), forkShare(actions), programs]
      : [layer, `does not act: ${why}`, "", "", programs];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| layer | acts after | tokens in the window | its fork reads of the cache | programs |",
    "| --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

function forkShare(actions: readonly { readonly action: LayerAction }[]): string {
  const shares = actions.flatMap(({ action }) => action.fork_cache_read_pct ?? []);
  return shares.length === 0 ? "" : `${Math.min(...shares)}%`;
}

function range(sizes: readonly (number | null)[]): string {
  const known = sizes.filter((size) => size !== null).map((size) => Math.round(size / 1_000));
  const [least, most] = [Math.min(...known), Math.max(...known)];
  if (known.length === 0) return "";
  return least === most ? `${least}K` : `${least}K to ${most}K`;
}
