import { readFileSync } from "node:fs";
import { type ChartPoint, economicsChart } from "./economics-chart.ts";
import { type EconomicsFigures, economicsTables, ownerOf, type SettingFigures } from "./economics-tables.ts";

const SHOWN = ["200K/0.1/5m", "1M/0.1/5m"];

/** docs/economics.md and its chart, from the figures that `npm run -s lab -- economics --json > docs/economics.json` printed. */
export function economicsPage(): Readonly<Record<string, string>> {
  const figures = JSON.parse(readFileSync("docs/economics.json", "utf8")) as EconomicsFigures;
  const panels = SHOWN.map((title) => ({ title, points: pointsOf(figures.by_setting[title]!) }));
  const page = Object.entries(economicsTables(figures)).reduce(put, readFileSync("docs/economics.md", "utf8"));
  return { "docs/economics.svg": economicsChart(panels), "docs/economics.md": page };
}

function pointsOf({ cost_ratio, needs_strict_pct }: SettingFigures): readonly ChartPoint[] {
  return Object.entries(cost_ratio).map(([policy, [costRatio]]) => ({
    policy: policy.replaceAll("_", "-"),
    costRatio,
    needsMetPercent: needs_strict_pct[policy]!,
    by: ownerOf(policy),
  }));
}

/** Puts a table between the comments that name its place. */
function put(text: string, [name, content]: readonly [string, string]): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/economics.md has no place for ${name}: ${begin} ... ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}
