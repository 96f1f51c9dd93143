import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { priceText } from "../text/price-text.ts";
import { costText } from "./cost.ts";

const USED = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 9_000, outputTokens: 10 };
const TOTALS = { ...USED, responses: 2, priceUsd: 0.3, perfectPriceUsd: 0.3, forksMissedUsd: 0, unpricedResponses: 0 };
const NEXT = { inputTokens: 26_691, cachedTokens: 2_400, warmUsd: 0.092, coldUsd: 0.1001, pauseUsd: 0.0081 };
const LOST = { breaks: 1, rebilledTokens: 18_423, rebilledUsd: 0.0636, gapUsd: 0 };

function billOf(cache: "warm" | "cold" | "new", gapUsd = 0): string {
  return costText({
    ...TOTALS,
    gapUsd,
    bySource: { main: TOTALS },
    byCause: { replace: LOST },
    breaks: [
      {
        ...{ usage: 9, source: "main", atMs: 0, causes: ["replace"], what: [], sort: "expected" },
        ...{ droppedTokens: 18_423, rebilledTokens: 18_423, rebilledUsd: 0.0636, pauseMs: 0 },
      },
    ],
    nextRequest: { ...NEXT, cache },
  });
}

test("shows the same price of a cache miss in the table and in the list", () => {
  const rows = billOf("warm").split("\n");
  const priced = rows.filter((row) => row.includes("18,423"));
  expect(priced).toHaveLength(2);
  for (const row of priced) expect(row).toContain("18,423  $0.0636");
  expect(rows.find((row) => row.startsWith("cause of"))).toMatch(/price +avoidable$/);
});

test("says that misses of a perfect cache were not avoidable", () => {
  expect(billOf("warm")).toContain(
    "\nNo cache miss was avoidable: with a perfect cache it would have cost the same.\n",
  );
  expect(billOf("warm", 0.1)).toContain("\nWith a perfect cache it would have cost $0.3000, which is $0.1000 less.\n");
  const without = costText({
    ...TOTALS,
    gapUsd: 0,
    bySource: {},
    byCause: {},
    breaks: [],
    nextRequest: { ...NEXT, cache: "warm" },
  });
  expect(without).toContain("\nWith a perfect cache it would have cost the same.\n");
});

test("shows what forks paid because they missed the cache, and nothing if they did not", () => {
  const missed = { ...TOTALS, forksMissedUsd: 0.0732 };
  const bill = costText({
    ...missed,
    gapUsd: 0.0732,
    bySource: { main: TOTALS, extract_memories: missed },
    byCause: {},
    breaks: [],
    nextRequest: { ...NEXT, cache: "warm" },
  });
  expect(bill).toContain(
    "\nForks paid $0.0732 more because they did not read the cache of the conversation: saving memories $0.0732.\n",
  );
  expect(billOf("warm")).not.toContain("Forks");
});

test("shows the current price of the next request, and its tokens", () => {
  const last = (cache: "warm" | "cold" | "new"): string => billOf(cache).split("\n").at(-1)!;
  expect(last("warm")).toContain("26,691 tokens, 2,400 of them in the cache. It costs $0.0920, and $0.1001 once");
  expect(last("cold")).toContain("The cache has expired: it costs $0.1001 instead of $0.0920.");
  expect(last("new")).toContain("Nothing is cached yet: it costs $0.1001.");
});

test("formats estimates and unknown prices the same everywhere", () => {
  expect(priceText({ priceUsd: 0.5, unpricedResponses: 0 })).toBe("$0.5000");
  expect(priceText({ priceUsd: 0.5, estimatedUsd: 0.1, unpricedResponses: 0 })).toBe("~$0.5000");
  expect(priceText({ priceUsd: 0.5, unpricedResponses: 2 })).toBe("$0.5000 + unknown");
  expect(priceText({ priceUsd: 0, unpricedResponses: 2 })).toBe("price unknown");
});

test("`palimpsest sessions cost` shows the same cost as the session's own result", async () => {
  const cli = await startCli(temporaryProject({ "limit.ts": "export const limit = 10;\n" }), scriptedModel);
  const { out } = await cli.run(["-p", "read the limit", "--output-format", "json"]);
  const { usage } = JSON.parse(out) as { usage: { priceUsd: number } };
  const bill = await cli.run(["sessions", "cost"]);
  expect(bill.out).toMatch(new RegExp(`^total .*\\$${usage.priceUsd.toFixed(4).replace(".", "\\.")}$`, "m"));
});
