import { foldLedger } from "../cost/fold.ts";
import { EMPTY_LEDGER, type LedgerLine } from "../cost/ledger.ts";
import { lineOf } from "../cost/line.ts";
import { readPayload } from "../log/draft.ts";
import { readEntries } from "../stores/read.ts";
import type { LogReader } from "../stores/store.ts";

/**
 * The ledger of a log, one line for each response, on whatever branch, in the order in which they came.
 * @param from where it begins: behind what a fork shares with its parent
 */
export async function* readLedgerLines(log: LogReader, from = 1): AsyncGenerator<LedgerLine> {
  const { sequence } = await log.head();
  let ledger = EMPTY_LEDGER;
  for await (const entry of readEntries(log, from, sequence)) {
    const read = readPayload(entry);
    if (read.kind === "usage") yield lineOf(ledger, read.sequence, read.payload, entry.atMs);
    ledger = foldLedger(ledger, read, entry.atMs);
  }
}
