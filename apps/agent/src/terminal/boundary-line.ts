import type { ExplainedBoundary } from "palimpsest";
import { type Line, plain } from "../text/line.ts";
import { rungName } from "../text/plain-names.ts";
import { usd } from "../text/table.ts";

/** Describes a compaction in one line of the scrollback. */
export function boundaryLine({ from, to, compaction, reason }: ExplainedBoundary): Line {
  if (compaction === undefined)
    return plain(`── Compacted: entries ${from} to ${to} (${reason})`, { color: "warning" });
  const { messages, tokensBefore, tokensAfter, priceUsd, rung } = compaction;
  const sizes = `${count(tokensBefore)} → ${count(tokensAfter)} tokens`;
  const price = priceUsd === undefined ? "" : `, ${usd(priceUsd)}`;
  return [
    { text: `── Compacted: ${messages} messages, ${sizes}${price} (${rungName(rung)})`, color: "warning" },
    { text: " · ctrl-o c shows it, /undo undoes it", color: "quiet" },
  ];
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
