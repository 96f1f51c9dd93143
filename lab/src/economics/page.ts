// docs/economics.md and its picture, from the figures in docs/economics.json.

import { readFileSync } from "node:fs";
import type { DifferenceFigures, PolicyFigures, ProfileFigures } from "./figures.ts";
import type { NeedsValid } from "./needs-valid.ts";

/** What `npm run -s lab -- economics --json` prints, as far as the page shows it. */
export interface EconomicsFigures {
  readonly sessions: number;
  readonly requests: number;
  readonly user_messages: number;
  readonly needs: number;
  readonly model: string;
  readonly condition: string;
  readonly thinking_blocks_sent: number;
  readonly profiles: Readonly<Record<string, ProfileFigures>>;
  readonly others: Readonly<Record<string, PolicyFigures>>;
  readonly frontier: {
    readonly sessions: number;
    readonly ours: Readonly<Record<string, PolicyFigures>>;
    readonly others: Readonly<Record<string, PolicyFigures>>;
  };
  readonly ablation: { readonly sessions: number; readonly mechanisms: Readonly<Record<string, DifferenceFigures>> };
  readonly tried: Readonly<Record<string, PolicyFigures>>;
  readonly session_ends_within_12_requests_pct: Readonly<Record<string, number>>;
  readonly one_million: Readonly<Record<string, PolicyFigures>>;
  readonly needs_valid: NeedsValid;
}

export function economicsPage(): Readonly<Record<string, string>> {
  const figures = JSON.parse(readFileSync("docs/economics.json", "utf8")) as EconomicsFigures;
  const page = Object.entries(economicsTables(figures)).reduce(put, readFileSync("docs/economics.md", "utf8"));
  return { "docs/economics.svg": economicsPicture(figures), "docs/economics.md": page };
}

/** Puts a text between the comments that name its place. */
function put(text: string, [name, content]: readonly [string, string]): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/economics.md has no place for ${name}: ${begin} ... ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}

// ------------------------------------------------------------------------------------------------ tables

/** The tables of the page, by the name of the place where each belongs. */
export function economicsTables(figures: EconomicsFigures): Readonly<Record<string, string>> {
  const { profiles, others, frontier, ablation, tried, one_million } = figures;
  return {
    sessions: sessionsText(figures),
    profiles: profilesTable(profiles),
    waiting: waitingTable(profiles),
    others: policiesTable(others),
    frontier: policiesTable(frontier.ours),
    ablation: ablationTable(ablation.mechanisms),
    tried: policiesTable(tried),
    "one million": policiesTable(one_million),
    "needs-valid": needsValidTable(figures.needs_valid),
  };
}

function sessionsText({ sessions, requests, user_messages, needs, thinking_blocks_sent }: EconomicsFigures): string {
  return `${sessions} sessions, ${requests} requests, ${user_messages} user messages, ${needs} needs; ${thinking_blocks_sent} signed thinking blocks were sent back.`;
}

function profilesTable(profiles: Readonly<Record<string, ProfileFigures>>): string {
  const rows = Object.entries(profiles).map(([name, one]) => [
    `**${label(name)}**`,
    `${one.cost_ratio.toFixed(3)} (${bounds(one.cost_ratio_interval)})`,
    one.cost_ratio_prepared.toFixed(3),
    String(one.needs_lost),
    one.needs_lost_per_compaction.toFixed(1),
    one.strict_needs_pct.toFixed(2),
    one.edit_lines_unmet_pct.toFixed(2),
    String(one.compactions),
    one.dear_stops_pct.toFixed(2),
  ]);
  const head = ["profile", "cost (95%)", "cost, prepared", "needs lost", "per compaction", "needs in view %"];
  return table([...head, "edited lines lost %", "compactions", "dear stops %"], rows);
}

function waitingTable(profiles: Readonly<Record<string, ProfileFigures>>): string {
  const rows = ["balanced", "economy"].flatMap((name) => {
    const one = profiles[name]!;
    const row = (way: string, of: PolicyFigures): string[] => [
      `${label(name)}, ${way}`,
      of.waiting_s_per_message.toFixed(2),
      of.waiting_in_all_s_per_message.toFixed(2),
      of.cost_ratio.toFixed(3),
      String(of.needs_lost),
    ];
    return [
      row("nothing prepared", one.without_preparation),
      row("prepared", { ...one, cost_ratio: one.cost_ratio_prepared }),
      row("`when-required`", one.when_required),
    ];
  });
  return table(["", "summaries", "in all", "cost", "needs lost"], rows);
}

function policiesTable(policies: Readonly<Record<string, PolicyFigures>>): string {
  const rows = byCost(policies).map(([name, one]) => [
    label(name),
    one.cost_ratio.toFixed(3),
    String(one.needs_lost),
    one.edit_lines_unmet_pct.toFixed(2),
  ]);
  return table(["policy", "cost", "needs lost", "edited lines lost %"], rows);
}

function ablationTable(mechanisms: Readonly<Record<string, DifferenceFigures>>): string {
  const rows = Object.entries(mechanisms).map(([name, one]) => [
    label(name).replaceAll("-", " "),
    `${signed(one.cost_points, 2)} (${one.cost_points_interval.map((bound) => signed(bound, 2)).join(" to ")})`,
    signed(one.needs_lost, 0),
  ]);
  return table(["`balanced`", "cost, points (95%)", "needs lost"], rows);
}

function needsValidTable({ odds_ratio, interval, without_one_session, pooled }: NeedsValid): string {
  const row = (name: string, of: Pick<NeedsValid, "odds_ratio" | "interval">): string[] => [
    name,
    of.odds_ratio.toFixed(2),
    of.interval.map((bound) => bound.toFixed(2)).join(" to "),
  ];
  return table(
    ["odds of another read or a failed edit", "ratio", "95%, by session"],
    [
      row("within each compaction", { odds_ratio, interval }),
      row("without the session that weighs most", without_one_session),
      row("all compactions in one table", pooled),
    ],
  );
}

function byCost(policies: Readonly<Record<string, PolicyFigures>>): readonly (readonly [string, PolicyFigures])[] {
  return Object.entries(policies).sort(([, one], [, other]) => one.cost_ratio - other.cost_ratio);
}

function label(name: string): string {
  return name.replaceAll("_", "-");
}

function bounds(interval: readonly [number, number]): string {
  return interval.map((bound) => bound.toFixed(3)).join(" to ");
}

function signed(value: number, places: number): string {
  return `${value > 0 ? "+" : ""}${value.toFixed(places)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

// ------------------------------------------------------------------------------------------------ the picture

const BOX = { width: 720, height: 440, left: 60, right: 20, top: 40, bottom: 50 };
const COLORS = { ours: "#0b6e4f", others: "#9a3b26" } as const;
/** Policies that cost more are far from every choice. */
const MAX_COST = 1.15;

interface Point {
  readonly name: string;
  readonly cost: number;
  readonly lost: number;
}

/** Cost against needs lost: a line through the best of ours, and one through the best of the others. Lower and further left is better. */
export function economicsPicture({ frontier }: Pick<EconomicsFigures, "frontier">): string {
  const ours = pointsOf(frontier.ours);
  const others = pointsOf(frontier.others).filter(({ cost }) => cost <= MAX_COST);
  const all = [...ours, ...others];
  const [leastCost, mostCost] = [floorTo(Math.min(...all.map(({ cost }) => cost)), 0.05), MAX_COST];
  const mostLost = Math.ceil(Math.max(...all.map(({ lost }) => lost)) / 500) * 500;
  const x = (lost: number): number => BOX.left + (lost / mostLost) * (BOX.width - BOX.left - BOX.right);
  const y = (cost: number): number =>
    BOX.height - BOX.bottom - ((cost - leastCost) / (mostCost - leastCost)) * (BOX.height - BOX.top - BOX.bottom);
  const axes = Array.from({ length: 6 }, (_, index) => {
    const [cost, lost] = [leastCost + (index / 5) * (mostCost - leastCost), (index / 5) * mostLost];
    return [
      `<line x1="${BOX.left}" y1="${fixed(y(cost))}" x2="${BOX.width - BOX.right}" y2="${fixed(y(cost))}" stroke="#e3e3e3"/>`,
      text(BOX.left - 6, y(cost) + 4, cost.toFixed(2), "end", "#333333"),
      text(x(lost), BOX.height - BOX.bottom + 16, String(Math.round(lost)), "middle", "#333333"),
    ].join("\n");
  });
  const drawn = ([points, color]: readonly [readonly Point[], string]): string =>
    [
      `<polyline fill="none" stroke="${color}" stroke-width="2" points="${bestOf(points)
        .map(({ cost, lost }) => `${fixed(x(lost))},${fixed(y(cost))}`)
        .join(" ")}"/>`,
      ...points.flatMap(({ name, cost, lost }) => [
        `<circle cx="${fixed(x(lost))}" cy="${fixed(y(cost))}" r="4" fill="${color}"/>`,
        text(x(lost) + 6, y(cost) - 5, name, "start", color),
      ]),
    ].join("\n");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${BOX.width} ${BOX.height}" font-family="sans-serif" font-size="11">`,
    "<title>Cost against needs lost: our policies, and those of others</title>",
    `<rect width="${BOX.width}" height="${BOX.height}" fill="#ffffff"/>`,
    text(BOX.left, 20, `cost relative to append-only, ${frontier.sessions} sessions`, "start", "#333333"),
    text(BOX.width / 2, BOX.height - 12, "needs lost", "middle", "#333333"),
    ...axes,
    drawn([others, COLORS.others]),
    drawn([ours, COLORS.ours]),
    "</svg>\n",
  ].join("\n");
}

function pointsOf(policies: Readonly<Record<string, PolicyFigures>>): readonly Point[] {
  return byCost(policies).map(([name, one]) => ({ name: label(name), cost: one.cost_ratio, lost: one.needs_lost }));
}

/** The points that no other one beats in both. */
function bestOf(points: readonly Point[]): readonly Point[] {
  return points
    .filter((one) => !points.some((other) => other !== one && other.cost <= one.cost && other.lost <= one.lost))
    .toSorted((one, other) => one.lost - other.lost);
}

function text(x: number, y: number, words: string, anchor: "start" | "middle" | "end", color: string): string {
  return `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}" fill="${color}">${words}</text>`;
}

function floorTo(value: number, step: number): number {
  return Math.floor(value / step) * step;
}

function fixed(value: number): string {
  return value.toFixed(1);
}
