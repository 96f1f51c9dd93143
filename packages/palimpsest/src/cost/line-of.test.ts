import { expect, test } from "vitest";
import type { CacheFacts } from "../log/cause.ts";
import type { UsagePayload } from "../log/payload.ts";
import { foldLedger, lineOf } from "./fold.ts";
import { EMPTY_LEDGER, type Ledger, spentTokens } from "./ledger.ts";

const prices = { input: 4, output: 20, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 8 };

/** A ledger whose newest request waits for its answer. */
function asked(ledger: Ledger, request: number, more: Partial<CacheFacts> = {}): Ledger {
  const cache: CacheFacts = { configuration: 1, images: "none", lifetimeMs: 300_000, prices, ...more };
  const payload = { maxTokens: 1, estimatedTokens: 1, cache };
  return foldLedger(ledger, { kind: "request", sequence: request, payload }, request);
}

const used = (answers: number, cacheWriteTokens: number, more: Partial<UsagePayload> = {}): UsagePayload => ({
  ...{ responseId: `r${answers}`, model: "m", answers },
  ...{ freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens, outputTokens: 0 },
  ...more,
});

test("uses the price of writes for an hour", () => {
  const ledger = asked(EMPTY_LEDGER, 1);
  const priceOf = (more: Partial<UsagePayload>) => lineOf(ledger, 2, used(1, 10_000, more), 2).priceUsd;
  expect(priceOf({})).toBeCloseTo(0.05, 12);
  expect(priceOf({ cacheWrite1hTokens: 10_000 })).toBeCloseTo(0.08, 12);
});

test("marks estimates, and their part of the price", () => {
  const after = (more: Partial<UsagePayload>) => {
    const payload = used(1, 10_000, more);
    const ledger = asked(EMPTY_LEDGER, 1);
    const totals = spentTokens(foldLedger(ledger, { kind: "usage", sequence: 2, payload }, 2));
    return { line: lineOf(ledger, 2, payload, 2), totals };
  };
  const [reported, estimated] = [after({}), after({ estimated: "output" })];
  expect(estimated.line.estimated).toBe("output");
  expect(estimated.totals).toMatchObject({ estimatedResponses: 1, estimatedUsd: estimated.line.priceUsd });
  expect(reported.line.estimated).toBeUndefined();
  expect(reported.totals).not.toHaveProperty("estimatedResponses");
});

test("names the tokens that decisions had announced in a break", () => {
  const first = foldLedger(asked(EMPTY_LEDGER, 1), { kind: "usage", sequence: 2, payload: used(1, 40_000) }, 2);
  const breakAfter = (changes: CacheFacts["changes"] & {}) =>
    lineOf(asked(first, 5, { changes, comparedWith: 1 }), 6, used(5, 40_000), 6).break;
  const [replace, restore] = [{ cause: "replace", at: 3, from: 1 } as const, { cause: "restore", at: 4 } as const];
  expect(breakAfter([{ ...replace, announcedTokens: 500 }, restore])).toMatchObject({ announcedTokens: 500 });
  expect(breakAfter([replace, restore])).not.toHaveProperty("announcedTokens");
});
