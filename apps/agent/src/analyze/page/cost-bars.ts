import { CAUSES, counted, dollars, partName, percent, tokens } from "@palimpsest/transcripts/analysis-words";
import type { Analysis, LostTotals, PartTotals } from "@palimpsest/transcripts/analyze";
import { barChart } from "./bar-chart.ts";

const SHOWN_PARTS = 14;

/** The cost of each part of the window; without prices, the tokens sent. */
export function partBars(parts: readonly PartTotals[], { totals }: Pick<Analysis, "totals">, id: string): string {
  const isPriced = totals.usd > 0;
  const measure = (part: PartTotals): number => (isPriced ? part.usd : part.sentTokens);
  const whole = parts.reduce((sum, part) => sum + measure(part), 0);
  const say = (value: number): string => `${isPriced ? dollars(value) : tokens(value)} · ${percent(value, whole)}`;
  const [shown, rest] = [parts.slice(0, SHOWN_PARTS), parts.slice(SHOWN_PARTS)];
  const restValue = rest.reduce((sum, part) => sum + measure(part), 0);
  const bars = [
    ...shown.map((part) => ({
      name: partName(part),
      value: measure(part),
      label: say(measure(part)),
      className: `part-${part.kind}`,
      about: [
        ...[`came in: ${tokens(part.addedTokens)} tokens`, `sent: ${tokens(part.sentTokens)} tokens`],
        `written: ${tokens(part.outputTokens)} tokens`,
      ].join("\n"),
    })),
    ...(rest.length === 0
      ? []
      : [{ name: `${rest.length} more`, value: restValue, label: say(restValue), className: "part-fixed" }]),
  ];
  const [first] = shown;
  const description = first === undefined ? "" : `The largest: ${partName(first)}, ${say(measure(first))}.`;
  return barChart(bars, { id, title: "Cost by part of the window", description });
}

/** The cost of cache misses, by cause. */
export function lostBars(lost: Analysis["lost"], id: string): string {
  const causes = Object.entries(lost) as [keyof typeof CAUSES, LostTotals][];
  const isPriced = causes.some(([, { usd }]) => usd > 0);
  const bars = causes
    .map(([cause, { breaks, tokens: count, usd }]) => ({
      name: CAUSES[cause],
      value: isPriced ? usd : count,
      className: "lost",
      label: `${isPriced ? dollars(usd) : tokens(count)} · ${counted(breaks, "break")}`,
      about: `${tokens(count)} tokens not read`,
    }))
    .sort((one, other) => other.value - one.value);
  const description = bars.map(({ name, label }) => `${name}: ${label}`).join("; ");
  return barChart(bars, { id, title: "Cost of cache misses, by cause", description });
}
