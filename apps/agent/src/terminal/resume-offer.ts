import type { NextRequestCost } from "palimpsest";
import type { Dialog } from "../extension/slash-command.ts";
import { plain } from "../text/line.ts";
import { usd } from "../text/table.ts";

/** The extra cost of a cold cache from which the person is asked. */
const WORTH_ASKING_USD = 0.02;

/** After a long pause: the cost of the next request, and the offer to compact first. Undefined if the extra cost is small. */
export function resumeOffer(next: NextRequestCost, nowMs: number): Dialog | undefined {
  const { cache, coldAtMs, coldUsd, pauseUsd, inputTokens } = next;
  if (cache !== "cold" || coldAtMs === undefined || coldUsd === undefined || pauseUsd === undefined) return undefined;
  if (pauseUsd < WORTH_ASKING_USD) return undefined;
  const size = inputTokens.toLocaleString("en-US");
  return {
    title: `The prompt cache expired ${agoText(nowMs - coldAtMs)} ago`,
    body: [
      plain(`The next request costs ${usd(coldUsd)} for ${size} tokens, ${usd(pauseUsd)} more than with a warm cache.`),
    ],
    options: [
      { value: "send", label: "Send now" },
      {
        value: "compact",
        label: "Compact first, then send",
        about: "one summary now, smaller requests later",
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
