/** One policy in one setting. */
export interface ChartPoint {
  readonly policy: string;
  readonly costRatio: number;
  readonly needsMetPercent: number;
  /** Whose it is. */
  readonly by: "us" | "others" | "nobody";
}

export interface ChartPanel {
  readonly title: string;
  readonly points: readonly ChartPoint[];
}

const PANEL = { width: 430, height: 430, left: 52, right: 165, top: 46, bottom: 46 };
const COLORS = { us: "#0b6e4f", others: "#9a3b26", nobody: "#555555" } as const;
/** What costs more stands at the top edge, with its figure: a scale that reached it would press all others together. */
const MAX_SHOWN = 1.3;
/** Below this, labels would stand on each other. */
const LINE_HEIGHT = 13;

/** Price against needs met, a panel for each setting, a point for each policy. Stands alone, and looks the same everywhere. */
export function economicsChart(panels: readonly ChartPanel[]): string {
  const width = panels.length * (PANEL.width + PANEL.right);
  const drawn = panels.map((panel, index) => {
    return `<g transform="translate(${index * (PANEL.width + PANEL.right)} 0)">${panelOf(panel)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${PANEL.height}" font-family="sans-serif" font-size="11">`,
    "<title>Price against strict needs met in view, one point for each policy</title>",
    `<rect width="${width}" height="${PANEL.height}" fill="#ffffff"/>`,
    ...drawn,
    "</svg>\n",
  ].join("\n");
}

function panelOf({ title, points }: ChartPanel): string {
  const costs = points.map(({ costRatio }) => Math.min(costRatio, MAX_SHOWN));
  const needs = points.map(({ needsMetPercent }) => needsMetPercent);
  const [leastNeeds, mostCost] = [Math.floor(Math.min(...needs)), Math.ceil(Math.max(...costs) * 10) / 10];
  const leastCost = Math.floor(Math.min(...costs) * 10) / 10;
  const right = PANEL.width;
  const bottom = PANEL.height - PANEL.bottom;
  const x = (percent: number): number =>
    PANEL.left + ((percent - leastNeeds) / (100 - leastNeeds || 1)) * (right - PANEL.left);
  const y = (ratio: number): number =>
    bottom - ((ratio - leastCost) / (mostCost - leastCost || 1)) * (bottom - PANEL.top);
  const ticks = Array.from({ length: 5 }, (_, index) => index / 4);
  const axes = ticks.flatMap((share) => {
    const percent = leastNeeds + share * (100 - leastNeeds);
    const ratio = leastCost + share * (mostCost - leastCost);
    return [
      line(PANEL.left, y(ratio), right, y(ratio), "#e3e3e3"),
      text(PANEL.left - 6, y(ratio) + 4, ratio.toFixed(2), "end"),
      text(x(percent), bottom + 16, `${percent.toFixed(1)}%`, "middle"),
    ];
  });
  const sorted = points.toSorted((one, other) => other.costRatio - one.costRatio);
  const labelsY = labelPlaces(
    sorted.map(({ costRatio }) => y(Math.min(costRatio, mostCost))),
    bottom,
  );
  const marks = sorted.flatMap(({ policy, costRatio, needsMetPercent, by }, index) => {
    const [atX, atY] = [x(needsMetPercent), y(Math.min(costRatio, mostCost))];
    const label = costRatio > mostCost ? `${policy} (${costRatio.toFixed(2)})` : policy;
    return [
      line(atX, atY, right + 8, labelsY[index]!, "#cccccc"),
      `<circle cx="${round(atX)}" cy="${round(atY)}" r="4" fill="${COLORS[by]}"/>`,
      `<text x="${right + 12}" y="${round(labelsY[index]! + 4)}" fill="${COLORS[by]}">${label}</text>`,
    ];
  });
  return [
    `<text x="${PANEL.left}" y="20" font-size="14" font-weight="bold">${title}</text>`,
    text(PANEL.left, 36, "cost relative to appending until the window is full", "start"),
    text((PANEL.left + right) / 2, PANEL.height - 12, "strict needs met in view", "middle"),
    ...axes,
    ...marks,
  ].join("\n");
}

/** Each at its point or below the one before it; what would leave the panel pushes the others up. */
function labelPlaces(pointsY: readonly number[], bottom: number): readonly number[] {
  const places: number[] = [];
  for (const at of pointsY) places.push(Math.max(at, (places.at(-1) ?? Number.NEGATIVE_INFINITY) + LINE_HEIGHT));
  let most = bottom;
  for (let index = places.length - 1; index >= 0; index--) {
    places[index] = Math.min(places[index]!, most);
    most = places[index]! - LINE_HEIGHT;
  }
  return places;
}

function line(x1: number, y1: number, x2: number, y2: number, color: string): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${color}"/>`;
}

function text(x: number, y: number, words: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="#333333">${words}</text>`;
}

function round(value: number): string {
  return value.toFixed(1);
}
