import { describe, expect, test } from "vitest";
import type { CacheFacts, PromptChange } from "../log/cause.ts";
import type { ReadEntry } from "../log/entry.ts";
import type { PayloadKind, Payloads, UsagePayload } from "../log/payload.ts";
import { foldLedger, ledgerAtBoundary, lineOf } from "./fold.ts";
import { EMPTY_LEDGER, type Ledger, type LedgerLine, readLedger, spentTokens } from "./ledger.ts";

const prices = { input: 4, output: 20, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 8 };
const facts: CacheFacts = { configuration: 1, images: "none", lifetimeMs: 300_000, prices };

/** A ledger that is written entry by entry, a second apart. */
class Book {
  ledger: Ledger = EMPTY_LEDGER;
  lines: LedgerLine[] = [];
  sequence = 0;
  atMs = 0;

  add<Kind extends PayloadKind>(kind: Kind, payload: Payloads[Kind]): number {
    this.sequence++;
    this.atMs += 1_000;
    const read = { kind, sequence: this.sequence, payload } as ReadEntry;
    if (read.kind === "usage") this.lines.push(lineOf(this.ledger, this.sequence, read.payload, this.atMs));
    this.ledger = foldLedger(this.ledger, read, this.atMs);
    return this.sequence;
  }

  request(changes: readonly PromptChange[] = [], more: Partial<CacheFacts> = {}): number {
    const comparedWith = this.ledger.sources["main"]?.previous?.at;
    const compared = comparedWith === undefined ? {} : { comparedWith };
    return this.add("request", {
      maxTokens: 1,
      estimatedTokens: 1,
      cache: { ...facts, ...compared, ...(changes.length === 0 ? {} : { changes }), ...more },
    });
  }

  answer(request: number, read: number, write: number, more: Partial<UsagePayload> = {}): LedgerLine {
    const counts = { freshTokens: 0, cacheReadTokens: read, cacheWriteTokens: write, outputTokens: 100 };
    this.add("usage", { responseId: `r${request}`, model: "m", answers: request, ...counts, ...more });
    return this.lines.at(-1)!;
  }

  ask(read: number, write: number, ...rest: Parameters<Book["request"]>): LedgerLine {
    return this.answer(this.request(...rest), read, write);
  }
}

function warm(): Book {
  const book = new Book();
  book.ask(0, 40_000);
  return book;
}

describe("a ledger line", () => {
  test("has the price, and no gap if everything in the cache was read", () => {
    const book = warm();
    const line = book.ask(40_000, 1_000);
    expect(line).toMatchObject({ perfectReadTokens: 40_000, causes: [], source: "main" });
    expect(line.priceUsd).toBeCloseTo((40_000 * 0.4 + 1_000 * 5 + 100 * 20) / 1e6, 12);
    expect(line.gapUsd).toBeCloseTo(0, 12);
    expect(line.break).toBeUndefined();
  });

  test("is not compared for the first request", () => {
    expect(new Book().ask(0, 40_000)).toMatchObject({ perfectReadTokens: 0, causes: [] });
  });

  test("names the server and raises an alarm if no change and no pause explains the break", () => {
    const line = warm().ask(0, 41_000);
    expect(line.causes).toEqual(["server"]);
    expect(line.break).toMatchObject({ sort: "alarm", droppedTokens: 40_000, rebilledTokens: 40_000 });
    // 40,000 tokens were written that could have been read.
    expect(line.gapUsd).toBeCloseTo((40_000 * (5 - 0.4)) / 1e6, 12);
    expect(line.break?.rebilledUsd).toBeCloseTo((40_000 * (5 - 0.4)) / 1e6, 12);
  });

  test("measures a pause between requests against the lifetime of the previous request", () => {
    const book = warm();
    book.atMs += 298_000;
    expect(book.ask(0, 41_000).causes).toEqual(["pause"]);
    const hour = new Book();
    hour.ask(0, 40_000, [], { lifetimeMs: 3_600_000 });
    hour.atMs += 400_000;
    expect(hour.ask(0, 41_000, [], { lifetimeMs: 300_000 }).causes).toEqual(["server"]);
  });

  test("expects a break after a change, and a perfect read of the unchanged part only", () => {
    const line = warm().ask(4_000, 37_000, [{ cause: "replace", at: 3, from: 2, what: ["cleared"] }], {
      keptTokens: 10_000,
    });
    expect(line).toMatchObject({ causes: ["replace"], perfectReadTokens: 10_000 });
    expect(line.break).toMatchObject({ sort: "expected", what: ["cleared"], droppedTokens: 36_000 });
  });

  test("expects a break after new provider edits, with no further possible reads, and none after the same edits", () => {
    const book = warm();
    const left = { appliedEdits: { results: 5, thinkingTurns: 0, tokens: 20_000 } };
    const line = book.answer(book.request(), 8_000, 12_000, left);
    expect(line).toMatchObject({ perfectReadTokens: 8_000, causes: ["provider-edits"], break: { sort: "expected" } });
    expect(line.break?.what).toEqual(["left out 5 results and 0 turns of thinking"]);
    expect(book.answer(book.request(), 20_000, 1_000, left).causes).toEqual([]);
    expect(book.answer(book.request(), 5_000, 1_000, left)).toMatchObject({ break: { sort: "alarm" } });
  });

  test("finds no break after deletions from the cached prompt, and marks them stale if the prompt is gone", () => {
    const book = warm();
    const deleted = [{ entry: 7, callId: "c" }];
    const line = book.answer(book.request([], { deleted }), 25_000, 1_000, { deletedTokens: 15_000 });
    expect(line).toMatchObject({ perfectReadTokens: 25_000, causes: [] });
    expect(book.answer(book.request([], { deleted }), 26_000, 1_000, { deletedTokens: 15_000 }).causes).toEqual([]);
    expect(book.ledger.sources["main"]?.previous).not.toHaveProperty("deletions");
    // As much again is nothing new.
    expect(book.ledger.sources["main"]?.previous).toMatchObject({ deletedTokens: 15_000 });
    const lost = book.answer(book.request([], { deleted }), 1_000, 40_000, { deletedTokens: 0 });
    expect(lost.break).toMatchObject({ sort: "alarm", droppedTokens: 26_000 });
    expect(book.ledger.sources["main"]?.previous).toMatchObject({ deletions: "stale" });
  });

  test("does not count removed content as billed again", () => {
    const line = warm().ask(4_000, 6_000, [{ cause: "boundary", at: 3, from: 2 }], { keptTokens: 4_000 });
    expect(line.break).toMatchObject({ droppedTokens: 36_000, rebilledTokens: 6_000 });
  });

  test("counts tokens only if the prices are unknown", () => {
    const book = new Book();
    const line = book.answer(book.add("request", { maxTokens: 1, estimatedTokens: 1 }), 0, 10);
    expect(line.priceUsd).toBeUndefined();
    expect(spentTokens(book.ledger)).toMatchObject({ responses: 1, unpricedResponses: 1, priceUsd: 0 });
  });

  test("is not compared if a later request was answered first", () => {
    const book = warm();
    const early = book.request();
    const late = book.request();
    book.answer(late, 40_000, 5_000);
    expect(book.answer(early, 40_000, 1_000)).toMatchObject({ causes: [], perfectReadTokens: 40_000 });
    expect(book.ledger.sources["main"]?.previous?.request).toBe(late);
  });

  test("has only newer changes if the request was made before the previous answer", () => {
    const book = warm();
    const change: PromptChange = { cause: "replace", at: book.sequence, from: 1 };
    const early = book.request([change], { keptTokens: 0 });
    const late = book.request([change], { keptTokens: 0 });
    book.answer(early, 4_000, 37_000);
    expect(book.answer(late, 4_000, 38_000).causes).toEqual(["server"]);
  });

  test("is not compared if the response reports no usage", () => {
    const book = warm();
    expect(book.answer(book.request(), 0, 0).break).toBeUndefined();
    expect(book.ask(40_000, 100).causes).toEqual([]);
    book.answer(book.request(), 0, 0);
    expect(book.ask(0, 41_000).causes).toEqual(["server"]);
  });

  test("shows whether the provider's diagnosis agrees", () => {
    const book = warm();
    const request = book.request([{ cause: "tools", at: 3 }], { keptTokens: 0 });
    expect(book.answer(request, 0, 40_000, { cacheDiagnosis: { reason: "tools" } }).diagnosis).toBe("agrees");
    const next = book.request();
    expect(book.answer(next, 0, 40_000, { cacheDiagnosis: { reason: "messages" } }).diagnosis).toBe("differs");
  });
});

describe("the ledger", () => {
  test("starts empty, with the first answer and the first loss", () => {
    const book = warm();
    const counts = { responses: 1, freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 40_000, outputTokens: 100 };
    const priceUsd = expect.closeTo((40_000 * 5 + 100 * 20) / 1e6, 12);
    const totals = { ...counts, priceUsd, perfectPriceUsd: priceUsd, forksMissedUsd: 0, unpricedResponses: 0 };
    expect(book.ledger.sources["main"]?.totals).toEqual(totals);
    book.ask(0, 41_000);
    const lostUsd = expect.closeTo((40_000 * (5 - 0.4)) / 1e6, 12);
    const lost = { breaks: 1, rebilledTokens: 40_000, rebilledUsd: lostUsd, gapUsd: lostUsd };
    expect(book.ledger.sources["main"]?.causes).toEqual({ server: lost });
    // Too little for a break, and without prices: a cause, and nothing that can be counted.
    const { prices: _, ...cache } = facts;
    const small = warm();
    small.answer(small.add("request", { maxTokens: 1, estimatedTokens: 1, cache }), 39_500, 1_500);
    expect(Object.values(small.ledger.sources["main"]!.causes["server"]!)).toEqual([0, 0, 0, 0]);
  });

  test("sums by source and by cause, and the causes explain the whole gap", () => {
    const book = warm();
    book.ask(0, 41_000);
    book.atMs += 300_000;
    book.ask(0, 42_000);
    book.answer(0, 500, 0, { source: "fork" });
    const { sources, breaks } = book.ledger;
    expect(sources["main"]?.totals).toMatchObject({ responses: 3, cacheWriteTokens: 123_000 });
    expect(sources["fork"]?.totals).toMatchObject({ responses: 1, cacheReadTokens: 500 });
    expect(spentTokens(book.ledger).responses).toBe(4);
    expect(sources["main"]?.causes).toMatchObject({ server: { breaks: 1 }, pause: { breaks: 1 } });
    const { priceUsd, perfectPriceUsd } = spentTokens(book.ledger);
    const lost = Object.values(sources["main"]!.causes).reduce((sum, { gapUsd }) => sum + gapUsd, 0);
    expect(lost).toBeCloseTo(priceUsd - perfectPriceUsd, 12);
    expect(breaks).toHaveLength(2);
  });

  test("keeps one decision per cause, with its earliest place, until the next answered request", () => {
    const book = warm();
    const cost = { shedTokens: 1, invalidatedPrefixTokens: 500 };
    book.add("replace", { from: 20, to: 20, with: [], reason: "one", cost });
    const at = book.add("replace", { from: 10, to: 10, with: [], reason: "two", cost });
    const restored = book.add("restore", { of: at, from: 10, to: 10, reason: "back", was: "replace" });
    expect(book.ledger.pending).toEqual([
      { cause: "replace", at, from: 10, what: ["two"], announcedTokens: 1_000 },
      { cause: "restore", at: restored, from: 10, what: ["back"] },
    ]);
    const request = book.request();
    const later = book.add("replace", { from: 5, to: 5, with: [], reason: "later" });
    expect(book.ledger.pending).toHaveLength(2);
    book.answer(request, 40_000, 0);
    expect(book.ledger.pending).toEqual([
      { cause: "replace", at: later, from: 5, what: ["later"], announcedTokens: 1_000 },
    ]);
  });

  test("continues after a boundary and a rewind, with the spending of the other branch", () => {
    const book = warm();
    const replace = { from: 1, to: 2, with: [], reason: "summarised" };
    const carried = ledgerAtBoundary(book.ledger, book.sequence + 1, replace);
    book.add("boundary", {
      ...replace,
      outline: [],
      state: { configuration: 1, calibration: {}, ledger: JSON.parse(JSON.stringify(carried)), standing: {} },
    });
    expect(book.ledger).toEqual(carried);
    expect(book.ledger.pending).toMatchObject([{ cause: "boundary", from: 1 }]);
    const spent = spentTokens(book.ledger);
    book.add("rewind", { reason: "no", ledger: book.ledger, sharedTo: 1 });
    expect(spentTokens(book.ledger)).toEqual(spent);
    expect(book.ledger.pending).toMatchObject([{ cause: "boundary" }, { cause: "rewind", from: 2 }]);
  });

  test("has a price and a cause for a request that is sent again after a rewind", () => {
    const book = warm();
    const request = book.request();
    book.answer(request, 40_000, 1_000);
    book.ask(41_000, 9_000);
    book.add("rewind", {
      reason: "again",
      ledger: book.ledger,
      sharedTo: request,
      request: { entry: request, cache: facts },
    });
    const line = book.answer(request, 41_000, 0);
    expect(line).toMatchObject({ request, break: { causes: ["rewind"], rebilledTokens: 0 } });
    expect(line.priceUsd).toBeGreaterThan(0);
    expect(line.gapUsd).toBeCloseTo(0, 12);
  });

  test("stays small in a long session", () => {
    const book = warm();
    for (let round = 0; round < 500; round++) {
      book.request();
      book.add("replace", { from: round, to: round, with: [], reason: "cleared" });
      book.ask(round % 2 === 0 ? 0 : 40_000, 40_000);
    }
    expect(book.ledger.breaks).toHaveLength(50);
    expect(JSON.stringify(book.ledger).length).toBeLessThan(20_000);
  });

  test("is empty if the stored value is invalid", () => {
    for (const stored of [undefined, null, 7, {}, { sources: {} }]) expect(readLedger(stored)).toEqual(EMPTY_LEDGER);
    expect(readLedger(JSON.parse(JSON.stringify(warm().ledger)))).toEqual(warm().ledger);
  });
});

describe("a ping", () => {
  const ping = (book: Book, answers: number, more: Partial<UsagePayload> = {}): LedgerLine =>
    book.answer(answers, 40_000, 0, { source: "keep-warm", outputTokens: 0, prices, madeAtMs: book.atMs, ...more });

  test("restarts the lifetime of the prompt, and is counted separately", () => {
    const book = warm();
    book.atMs += 290_000;
    const { atMs: madeAtMs } = book;
    expect(ping(book, 1)).toMatchObject({ source: "keep-warm", atMs: madeAtMs, causes: [], gapUsd: 0 });
    expect(book.ledger.sources["main"]?.previous).toMatchObject({ request: 1, atMs: madeAtMs, responseId: "r1" });
    expect(book.ledger.sources["keep-warm"]?.totals).toMatchObject({ responses: 1, priceUsd: 0.016 });
    book.atMs += 290_000;
    // Had nobody kept it warm, this would be the pause.
    expect(book.ask(0, 41_000).causes).toEqual(["server"]);
    // The pause itself is as long as it was.
    expect(book.ledger.sources["main"]?.rhythm?.middlePauses).toBe(1);
  });

  test("refreshes nothing if it read nothing or an older prompt", () => {
    const book = warm();
    const { atMs } = book.ledger.sources["main"]!.previous!;
    ping(book, 1, { cacheReadTokens: 0 });
    expect(book.ledger.sources["main"]?.previous?.atMs).toBe(atMs);
    book.ask(40_000, 1_000);
    const before = book.ledger.sources["main"];
    ping(book, 1);
    expect(book.ledger.sources["main"]).toEqual(before);
  });
});
