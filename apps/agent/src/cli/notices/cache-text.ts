import { CACHE_CAUSES, PROVIDER_SAYS } from "palimpsest/inspect";
import type { EventOf } from "../../commands/text/notice.ts";
import { usd } from "../../text/table.ts";
import { duration, tokens } from "./notice-words.ts";

/** Says how many tokens were paid for again because of a cache miss, and why. */
export function cacheText({
  causes,
  pauseMs,
  rebilledTokens,
  rebilledUsd,
  providerSays,
}: Pick<EventOf<"cache-broken">, "causes" | "pauseMs" | "rebilledTokens" | "rebilledUsd" | "providerSays">): string {
  const price = rebilledUsd === undefined ? "" : ` (${usd(rebilledUsd)})`;
  const said = providerSays === undefined ? "" : ` The provider says that ${PROVIDER_SAYS[providerSays]}.`;
  const paid = `${tokens(rebilledTokens)} were paid for again${price}.${said}`;
  const others = causes.flatMap((cause) => (cause === "pause" ? [] : [CACHE_CAUSES[cause]]));
  if (causes.includes("pause")) {
    const also = others.length === 0 ? "" : `; also ${others.join(", ")}`;
    return `Prompt cache expired (idle ${duration(pauseMs)}${also}). ${paid}`;
  }
  return `Prompt cache lost (${others.join(", ")}). ${paid}`;
}
