import { readFileSync, writeFileSync } from "node:fs";
import { type ChartPoint, economicsChart } from "./economics-chart.ts";

type ByPolicy = Readonly<Record<string, number>>;
interface SettingFigures {
  readonly cost_ratio: ByPolicy;
  readonly needs_met_pct: ByPolicy;
  readonly refetches: ByPolicy;
  readonly clairvoyant_ratio?: ByPolicy;
  readonly compactions: ByPolicy;
  readonly cache_hit_pct: ByPolicy;
  readonly mean_context_tokens: ByPolicy;
}

/** What the bench printed, kept beside the page: npm run -s bench -- economics --json > docs/economics.json */
const FIGURES = new URL("../docs/economics.json", import.meta.url);
const PAGE = new URL("../docs/economics.md", import.meta.url);
const CHART = new URL("../docs/economics.svg", import.meta.url);
/** In the chart and in whole on the page; of the others the page tells what differs. */
const SHOWN = ["200K/0.1/5m", "1M/0.1/5m"];
const NOBODYS = ["append-only", "window167", "clairvoyant"];
const OURS = [
  "default",
  "economy",
  "quality",
  "auto-ttl",
  "keep-warm",
  "economic",
  "careful",
  "from-250k",
  "patient",
  "payback",
  "fixed",
  "full-window",
  "notes-paying",
  "notes-fixed",
];

const { by_setting: bySetting } = JSON.parse(readFileSync(FIGURES, "utf8")) as {
  readonly by_setting: Readonly<Record<string, SettingFigures>>;
};

writeFileSync(CHART, economicsChart(SHOWN.map((name) => ({ title: name, points: pointsOf(bySetting[name]!) }))));
let page = readFileSync(PAGE, "utf8");
for (const name of SHOWN) page = put(page, name, policiesTable(bySetting[name]!));
page = put(page, "all settings", settingsTable());
writeFileSync(PAGE, page);

function pointsOf({ cost_ratio, needs_met_pct }: SettingFigures): readonly ChartPoint[] {
  return Object.entries(cost_ratio).map(([policy, costRatio]) => ({
    policy,
    costRatio,
    needsMetPercent: needs_met_pct[policy]!,
    by: NOBODYS.includes(policy) ? "nobody" : OURS.includes(policy) ? "us" : "others",
  }));
}

function policiesTable(figures: SettingFigures): string {
  const policies = Object.keys(figures.cost_ratio).sort(
    (one, other) => figures.cost_ratio[one]! - figures.cost_ratio[other]!,
  );
  const rows = policies.map((policy) => [
    OURS.includes(policy) ? `**${policy}**` : policy,
    figures.cost_ratio[policy]!.toFixed(3),
    figures.needs_met_pct[policy]!.toFixed(2),
    figures.refetches[policy]!,
    figures.compactions[policy]!,
    figures.cache_hit_pct[policy]?.toFixed(1) ?? "",
    figures.mean_context_tokens[policy]!,
    figures.clairvoyant_ratio?.[policy]?.toFixed(2) ?? "",
  ]);
  const head = ["policy", "cost", "needs met %", "fetched again", "compactions", "cache hits %", "mean context"];
  return table([...head, "of the limit"], rows);
}

function settingsTable(): string {
  const rows = Object.entries(bySetting).map(([name, { cost_ratio, needs_met_pct, refetches, clairvoyant_ratio }]) => [
    name,
    cost_ratio["default"]!.toFixed(3),
    cost_ratio["window167"]!.toFixed(3),
    needs_met_pct["default"]!.toFixed(2),
    needs_met_pct["window167"]!.toFixed(2),
    refetches["default"]!,
    refetches["window167"]!,
    clairvoyant_ratio?.["default"]?.toFixed(2) ?? "",
  ]);
  const both = (what: string): string[] => [`${what}: default`, "window167"];
  return table(["setting", ...both("cost"), ...both("needs met %"), ...both("fetched again"), "of the limit"], rows);
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** Between the comments that name it. */
function put(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/economics.md has no place for ${name}: ${begin} ... ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}
