import type { ExplainedBoundary } from "palimpsest/core";
import { type Line, plain } from "../text/line.ts";
import { usd } from "../text/table.ts";

/** What a compaction did, in one line of the scrollback. */
export function boundaryLine({ from, to, compaction, reason }: ExplainedBoundary): Line {
  if (compaction === undefined) return plain(`── Folded: entries ${from} to ${to} (${reason})`, { color: "warning" });
  const { messages, tokensBefore, tokensAfter, priceUsd, rung } = compaction;
  const sizes = `${count(tokensBefore)} → ${count(tokensAfter)} tokens`;
  const price = priceUsd === undefined ? "" : `, ${usd(priceUsd)}`;
  return [
    { text: `── Compacted: ${messages} messages, ${sizes}${price} (${rung})`, color: "warning" },
    { text: " · ctrl-o c opens it, /undo takes it back", color: "quiet" },
  ];
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
