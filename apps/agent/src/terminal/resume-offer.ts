import type { NextRequestCost } from "palimpsest/core";
import type { Dialog } from "../extension/dialog.ts";
import { plain } from "../text/line.ts";
import { usd } from "../text/table.ts";

/** What a cold cache must cost before anybody is asked about it. */
const WORTH_ASKING_USD = 0.02;

/** After a long pause: what the next request costs now, and the offer to compact first. Undefined if it is not worth asking. */
export function resumeOffer(next: NextRequestCost, nowMs: number): Dialog | undefined {
  const { cache, coldAtMs, coldUsd, pauseUsd, inputTokens } = next;
  if (cache !== "cold" || coldAtMs === undefined || coldUsd === undefined || pauseUsd === undefined) return undefined;
  if (pauseUsd < WORTH_ASKING_USD) return undefined;
  const size = inputTokens.toLocaleString("en-US");
  return {
    title: `The cache went cold ${agoText(nowMs - coldAtMs)} ago`,
    body: [
      plain(`The next request reads ${size} tokens anew: ${usd(coldUsd)}, which is ${usd(pauseUsd)} more than warm.`),
    ],
    options: [
      { value: "send", label: "Send it" },
      {
        value: "compact",
        label: "Compact first, then send it",
        about: "the summary is paid once, later requests are small",
      },
    ],
  };
}

function agoText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
