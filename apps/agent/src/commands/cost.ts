import type { CacheBreak, SessionCost } from "palimpsest/core";
import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { PROVIDER_SAYS } from "../cli/notices/cache-text.ts";
import { inSession } from "../cli/open-project.ts";
import { readArguments } from "../cli/read-arguments.ts";
import type { Terminal } from "../cli/terminal.ts";
import { table, time, usd } from "../text/table.ts";

/** What a session has cost, who spent it, and what was lost to which cause. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.cost);
  return inSession(terminal, { id: positionals[0] }, async (session) => {
    const cost = await session.ledger.cost();
    await terminal.print(values.json ? JSON.stringify({ session: session.id, ...cost }) : costText(cost));
    return EXIT.done;
  });
}

function saidOf(providerSays: CacheBreak["providerSays"]): readonly string[] {
  return providerSays === undefined ? [] : [`- the provider says: ${PROVIDER_SAYS[providerSays]}`];
}

export function costText(cost: SessionCost): string {
  const { bySource, byCause, breaks, nextRequest } = cost;
  const spent = Object.entries({ ...bySource, all: cost }).map(([source, totals]) => [
    ...[source, totals.responses, totals.freshTokens, totals.cacheReadTokens, totals.cacheWriteTokens],
    ...[totals.outputTokens, usd(totals.priceUsd)],
  ]);
  const causes = Object.entries(byCause).map(([cause, lost]) => [
    cause,
    lost.breaks,
    lost.rebilledTokens,
    usd(lost.gapUsd),
  ]);
  const broken = breaks.map(({ atMs, sort, causes: named, what, rebilledTokens, rebilledUsd, providerSays }) => [
    ...[time(atMs), sort, rebilledTokens, rebilledUsd === undefined ? "" : usd(rebilledUsd)],
    [named.join(", "), ...(what.length === 0 ? [] : [`(${what.join("; ")})`]), ...saidOf(providerSays)].join(" "),
  ]);
  const { inputTokens, cache, warmUsd, coldUsd } = nextRequest;
  const next = warmUsd === undefined || coldUsd === undefined ? "" : `: ${usd(warmUsd)} warm, ${usd(coldUsd)} cold`;
  return [
    table([["source", "responses", "fresh", "cache read", "cache written", "output", "price"], ...spent]),
    ...(cost.unpricedResponses > 0 ? [`${cost.unpricedResponses} responses are of models without a known price.`] : []),
    ...(cost.estimatedResponses === undefined
      ? []
      : [
          `${cost.estimatedResponses} answers were interrupted: ${usd(cost.estimatedUsd ?? 0)} of the price is an estimate.`,
        ]),
    "",
    `With a perfect cache: ${usd(cost.perfectPriceUsd)}, that is ${usd(cost.gapUsd)} less.`,
    ...(causes.length === 0 ? [] : [table([["lost to", "breaks", "tokens paid again", "price"], ...causes])]),
    ...(broken.length === 0 ? [] : ["", "Where the prompt cache was lost (alarm: nobody decided it)", table(broken)]),
    "",
    `The next request has ${inputTokens.toLocaleString("en-US")} tokens, the cache is ${cache}${next}.`,
  ].join("\n");
}
