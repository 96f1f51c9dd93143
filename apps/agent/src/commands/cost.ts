import type { SessionCost } from "palimpsest";
import { CACHE_CAUSES, type CacheBreak, PROVIDER_SAYS } from "palimpsest/inspect";

import { sourceName } from "../text/plain-names.ts";
import { priceText } from "../text/price-text.ts";
import { table, time, usd } from "../text/table.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inSession } from "./open-project.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Shows what a session cost, on what, and the cost of cache misses. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["sessions cost"]);
  return inSession(terminal, { id: positionals[0], access: "read" }, async (session) => {
    const cost = await session.ledger.cost();
    await terminal.print(values.json ? JSON.stringify({ session: session.id, ...cost }) : costText(cost));
    return EXIT.done;
  });
}

function providerLines(providerSays: CacheBreak["providerSays"]): readonly string[] {
  return providerSays === undefined ? [] : [`- the provider says that ${PROVIDER_SAYS[providerSays]}`];
}

/** Formats the bill of a session as tables. */
export function costText(cost: SessionCost): string {
  const { bySource, byCause, breaks } = cost;
  const spent = [...Object.entries(bySource), ["total", cost] as const].map(([source, totals]) => [
    ...[sourceName(source), totals.responses, totals.freshTokens, totals.cacheReadTokens, totals.cacheWriteTokens],
    ...[totals.outputTokens, priceText(totals)],
  ]);
  const causes = Object.entries(byCause).map(([cause, lost]) => [
    CACHE_CAUSES[cause as keyof typeof CACHE_CAUSES],
    ...[lost.breaks, lost.rebilledTokens, usd(lost.rebilledUsd), usd(lost.gapUsd)],
  ]);
  const broken = breaks.map(({ atMs, sort, causes: named, what, rebilledTokens, rebilledUsd, providerSays }) => [
    ...[
      time(atMs),
      sort === "alarm" ? "unexpected" : "expected",
      rebilledTokens,
      rebilledUsd === undefined ? "" : usd(rebilledUsd),
    ],
    [
      named.map((cause) => CACHE_CAUSES[cause]).join(", "),
      ...(what.length === 0 ? [] : [`(${what.join("; ")})`]),
      ...providerLines(providerSays),
    ].join(" "),
  ]);
  return [
    table([["spent on", "responses", "fresh", "cache read", "cache written", "output", "price"], ...spent]),
    ...(cost.unpricedResponses > 0
      ? [`The total leaves out ${cost.unpricedResponses} responses: the price of their model is unknown.`]
      : []),
    ...(cost.estimatedResponses === undefined
      ? []
      : [
          `You interrupted ${cost.estimatedResponses} answers: ${usd(cost.estimatedUsd ?? 0)} of the total is an estimate.`,
        ]),
    "",
    perfectText(cost, causes.length > 0),
    ...forksText(cost),
    ...(causes.length === 0
      ? []
      : [table([["cause of cache misses", "misses", "tokens paid again", "price", "avoidable"], ...causes])]),
    ...(broken.length === 0
      ? []
      : ["", "Cache misses (expected: the session caused it, for example with a compaction)", table(broken)]),
    "",
    nextText(cost.nextRequest),
  ].join("\n");
}

/**
 * Describes what a perfect cache would save. The session's own changes, such as a compaction, cause misses that even a
 * perfect cache cannot avoid.
 */
function perfectText({ gapUsd, perfectPriceUsd }: SessionCost, hasMisses: boolean): string {
  if (usd(gapUsd) !== usd(0))
    return `With a perfect cache it would have cost ${usd(perfectPriceUsd)}, which is ${usd(gapUsd)} less.`;
  const why = hasMisses ? "No cache miss was avoidable: with" : "With";
  return `${why} a perfect cache it would have cost the same.`;
}

/** Describes the price of the tokens that forks did not read from the cache of the conversation. Empty if there were none. */
function forksText({ forksMissedUsd, bySource }: SessionCost): readonly string[] {
  if (forksMissedUsd === 0) return [];
  const parts = Object.entries(bySource).flatMap(([source, totals]) =>
    totals.forksMissedUsd === 0 ? [] : [`${sourceName(source)} ${usd(totals.forksMissedUsd)}`],
  );
  return [
    `Forks paid ${usd(forksMissedUsd)} more because they did not read the cache of the conversation: ${parts.join(", ")}.`,
  ];
}

/** Describes the next request. The current price comes first, because only one of the two prices applies. */
function nextText({ inputTokens, cachedTokens, cache, warmUsd, coldUsd }: SessionCost["nextRequest"]): string {
  const size = `The next request has ${count(inputTokens)} tokens`;
  const [warm, cold] = [warmUsd, coldUsd].map((price) => (price === undefined ? undefined : usd(price)));
  switch (cache) {
    case "new":
      return `${size}. Nothing is cached yet${cold === undefined ? "." : `: it costs ${cold}.`}`;
    case "warm":
      return `${size}, ${count(cachedTokens)} of them in the cache.${warm === undefined ? "" : ` It costs ${warm}, and ${cold} once the cache has expired.`}`;
    case "cold":
      return `${size}. The cache has expired${cold === undefined ? "." : `: it costs ${cold} instead of ${warm}.`}`;
  }
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
