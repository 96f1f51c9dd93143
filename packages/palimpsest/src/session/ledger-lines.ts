// Reads the ledger of a log.

import { foldLedger, lineOf } from "../cost/fold.ts";
import { EMPTY_LEDGER, type LedgerLine } from "../cost/ledger.ts";
import { readPayload } from "../log/entry.ts";
import { readEntries } from "../stores/read.ts";
import type { LogReader } from "../stores/store.ts";

/**
 * Yields one line for each response in the log, on any branch, in log order.
 * @param from the first entry to read: for a fork, the first one that it does not share with its parent
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
