import { readFileSync, writeFileSync } from "node:fs";
import { type ChartPoint, economicsChart } from "./economics-chart.ts";
import { type EconomicsFigures, economicsTables, ownerOf, type SettingFigures } from "./economics-tables.ts";

/** What the bench printed, kept beside the page: npm run -s bench -- economics --json > docs/economics.json */
const FIGURES = new URL("../docs/economics.json", import.meta.url);
const PAGE = new URL("../docs/economics.md", import.meta.url);
const CHART = new URL("../docs/economics.svg", import.meta.url);
const SHOWN = ["200K/0.1/5m", "1M/0.1/5m"];

const figures = JSON.parse(readFileSync(FIGURES, "utf8")) as EconomicsFigures;
const panels = SHOWN.map((title) => ({ title, points: pointsOf(figures.by_setting[title]!) }));
writeFileSync(CHART, economicsChart(panels));
const page = Object.entries(economicsTables(figures)).reduce(put, readFileSync(PAGE, "utf8"));
writeFileSync(PAGE, page);

function pointsOf({ cost_ratio, needs_strict_pct }: SettingFigures): readonly ChartPoint[] {
  return Object.entries(cost_ratio).map(([policy, [costRatio]]) => ({
    policy: policy.replaceAll("_", "-"),
    costRatio,
    needsMetPercent: needs_strict_pct[policy]!,
    by: ownerOf(policy),
  }));
}

/** Between the comments that name it. */
function put(text: string, [name, content]: readonly [string, string]): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/economics.md has no place for ${name}: ${begin} ... ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}
