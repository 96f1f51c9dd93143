import type { CacheBreak, SessionCost } from "palimpsest/core";
import { CACHE_CAUSES, PROVIDER_SAYS } from "palimpsest/inspect";
import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inSession } from "../cli/open-project.ts";
import { readArguments } from "../cli/read-arguments.ts";
import type { Terminal } from "../cli/terminal.ts";
import { sourceName } from "../text/plain-names.ts";
import { table, time, usd } from "../text/table.ts";

/** Shows what a session cost, on what, and what cache misses cost. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.cost);
  return inSession(terminal, { id: positionals[0], access: "read" }, async (session) => {
    const cost = await session.ledger.cost();
    await terminal.print(values.json ? JSON.stringify({ session: session.id, ...cost }) : costText(cost));
    return EXIT.done;
  });
}

function saidOf(providerSays: CacheBreak["providerSays"]): readonly string[] {
  return providerSays === undefined ? [] : [`- the provider says that ${PROVIDER_SAYS[providerSays]}`];
}

const CACHE_STATES: Readonly<Record<SessionCost["nextRequest"]["cache"], string>> = {
  warm: "The cache is warm",
  cold: "The cache is cold",
  new: "Nothing is cached yet",
};

/** The bill of a session as tables. */
export function costText(cost: SessionCost): string {
  const { bySource, byCause, breaks, nextRequest } = cost;
  const spent = [...Object.entries(bySource), ["total", cost] as const].map(([source, totals]) => [
    ...[sourceName(source), totals.responses, totals.freshTokens, totals.cacheReadTokens, totals.cacheWriteTokens],
    ...[totals.outputTokens, usd(totals.priceUsd)],
  ]);
  const causes = Object.entries(byCause).map(([cause, lost]) => [
    CACHE_CAUSES[cause as keyof typeof CACHE_CAUSES],
    lost.breaks,
    lost.rebilledTokens,
    usd(lost.gapUsd),
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
      ...saidOf(providerSays),
    ].join(" "),
  ]);
  const { inputTokens, cache, warmUsd, coldUsd } = nextRequest;
  const next =
    warmUsd === undefined || coldUsd === undefined
      ? ""
      : ` It costs ${usd(warmUsd)} with a warm cache, ${usd(coldUsd)} with a cold one.`;
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
    `With a perfect cache it would have cost ${usd(cost.perfectPriceUsd)}, which is ${usd(cost.gapUsd)} less.`,
    ...(causes.length === 0
      ? []
      : [table([["cause of cache misses", "misses", "tokens paid again", "price"], ...causes])]),
    ...(broken.length === 0
      ? []
      : ["", "Cache misses (expected: the session caused it, for example with a compaction)", table(broken)]),
    "",
    `The next request has ${inputTokens.toLocaleString("en-US")} tokens. ${CACHE_STATES[cache]}.${next}`,
  ].join("\n");
}
