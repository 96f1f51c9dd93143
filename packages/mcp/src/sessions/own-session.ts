import { recalledText, type Store } from "palimpsest";
import {
  type Accounting,
  account,
  accountingRows,
  entryText,
  inputTokensOf,
  type LedgerLine,
  loadView,
  readEntries,
  readLedgerLines,
  readPayload,
  recall,
} from "palimpsest/inspect";
import type { Entry, LogReader } from "palimpsest/store-parts";
import type { CacheMiss, FoundSession, SessionEntry, SessionHit, Spending } from "./session.ts";
import { sessionKey } from "./session-key.ts";
import { yielding } from "./yielding.ts";

export interface OwnSessionOptions {
  readonly store: Store;
  /** The folder of the store. */
  readonly folder: string;
  readonly id: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

/** The first message comes right after the configuration, so a few entries are enough. */
const FIRST_ENTRIES = 20;
const TITLE_CHARACTERS = 200;
/** The most of a stored result that is held at once. */
const PART_CHARACTERS = 50_000;
const MAX_HITS = 100;

/** A session in a store of ours. It is only read: whoever writes to it is not disturbed. Undefined: there is none. */
export async function ownSession(options: OwnSessionOptions): Promise<FoundSession | undefined> {
  const { store, folder, id, cwd, signal } = options;
  const log = await store.openReader(id);
  if (log === undefined) return undefined;
  const { sequence } = await log.head();
  const first = await log.read(1, FIRST_ENTRIES);
  const [newest] = await log.read(sequence, sequence);
  await log.close();
  // A fork shows the conversation of its parent, which is listed itself.
  if (first[0]?.kind === "fork") return undefined;
  const said = first.find((entry) => whoOf(entry) === "user");

  async function* withLog<Item>(read: (log: LogReader) => AsyncIterable<Item>): AsyncGenerator<Item> {
    const opened = await store.openReader(id);
    if (opened === undefined) return;
    try {
      yield* yielding(read(opened), signal);
    } finally {
      await opened.close();
    }
  }
  const sources = (opened: LogReader) => ({ log: opened, files: store.results, session: id });

  return {
    key: sessionKey("palimpsest", folder, id),
    agent: "palimpsest",
    id,
    title: ((said && entryText(said)) ?? "").slice(0, TITLE_CHARACTERS).toWellFormed(),
    startedAtMs: first[0]?.atMs ?? 0,
    usedAtMs: newest?.atMs ?? 0,
    cwd,
    signal,
    entries: (from) =>
      withLog(async function* (opened): AsyncGenerator<SessionEntry> {
        for await (const entry of readEntries(opened, from, (await opened.head()).sequence)) {
          if (entryText(entry) === undefined) continue;
          const { sequence: number, atMs } = entry;
          yield { number, atMs, who: whoOf(entry), text: () => partsOf(number, sources(opened)) };
        }
      }),
    search: (words) =>
      withLog(async function* (opened): AsyncGenerator<SessionHit> {
        const found = await recall({ search: words }, { ...sources(opened), maxEntries: MAX_HITS });
        if (found.kind !== "entries") return;
        yield* found.hits.map(({ sequence: entry, snippet }) => ({ entry, snippet }));
      }),
    async spending() {
      const [spent] = await Array.fromAsync(withLog(readSpending));
      return spent ?? toSpending([], undefined);
    },
  };
}

function whoOf(entry: Entry): string {
  const read = readPayload(entry);
  if (read.kind !== "message") return read.kind;
  const { role, origin } = read.payload;
  return origin === "human" || origin === "model" ? role : origin;
}

async function* partsOf(entry: number, sources: Parameters<typeof recall>[1]): AsyncGenerator<string> {
  for (let place = { line: 1, character: 1 }; ; ) {
    const request = { entry, fromLine: place.line, fromCharacter: place.character };
    const found = await recall(request, { ...sources, maxCharacters: PART_CHARACTERS });
    yield found.kind === "text" ? found.text : recalledText(found);
    if (found.kind !== "text" || found.next === undefined) return;
    place = found.next;
  }
}

async function* readSpending(log: LogReader): AsyncGenerator<Spending> {
  const lines = await Array.fromAsync(yielding(readLedgerLines(log)));
  const { sequence } = await log.head();
  const { view } = await loadView(log, sequence);
  const boundaries: { atMs: number }[] = [];
  for (let below: number | undefined; ; ) {
    const boundary = await log.newest("boundary", below);
    if (boundary === undefined) break;
    boundaries.unshift({ atMs: boundary.atMs });
    below = boundary.sequence;
  }
  const model = view.configuration?.model;
  yield toSpending(lines, { accounting: account(view), model }, boundaries);
}

interface Shown {
  readonly accounting: Accounting;
  readonly model?: string;
}

function toSpending(
  lines: readonly LedgerLine[],
  shown: Shown | undefined,
  compactions: Spending["compactions"] = [],
): Spending {
  const sum = (count: (line: LedgerLine) => number, of = lines): number =>
    of.reduce((total, line) => total + count(line), 0);
  const bySource = [...Map.groupBy(lines, ({ source }) => source)].map(([name, of]) => ({
    name,
    usd: sum(({ priceUsd = 0 }) => priceUsd, of),
    tokens: sum(inputTokensOf, of),
  }));
  return {
    totals: {
      responses: lines.length,
      inputTokens: sum(inputTokensOf),
      cacheReadTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
      usd: sum(({ priceUsd = 0 }) => priceUsd),
      perfectUsd: sum(({ perfectPriceUsd = 0 }) => perfectPriceUsd),
      unpricedResponses: lines.filter(({ priceUsd }) => priceUsd === undefined).length,
    },
    parts: bySource.toSorted((one, other) => other.usd - one.usd || other.tokens - one.tokens),
    misses: lines.flatMap((line) => (line.break === undefined ? [] : [toMiss(line.break)])),
    compactions,
    window: shown === undefined ? undefined : toWindow(shown),
  };
}

function toMiss({
  atMs,
  causes,
  what,
  sort,
  rebilledTokens,
  rebilledUsd,
}: NonNullable<LedgerLine["break"]>): CacheMiss {
  const about = what.length === 0 ? "" : ` (${what.join("; ")})`;
  return {
    atMs,
    why: `${causes.join(", ")}${about}, ${sort === "alarm" ? "unexpected" : "expected"}`,
    tokens: rebilledTokens,
    usd: rebilledUsd,
  };
}

function toWindow({ accounting, ...shown }: Shown): NonNullable<Spending["window"]> {
  const parts = accountingRows(accounting).map(([name, tokens]) => ({ name, tokens }));
  return { ...shown, tokens: accounting.sizeTokens, parts };
}
