import type { Store } from "palimpsest";
import { readPayload } from "palimpsest/inspect";

/** An agent's last text, and whether it had finished. */
export interface Report {
  readonly text: string;
  readonly isFinal: boolean;
}

/** How far back to look for a text among calls and results. */
const MESSAGES_LOOKED_AT = 200;

/** Reads the report from an agent's log, of entries after a number. A fork's own log does not hold its parent's messages. */
export async function readReport(
  store: Pick<Store, "openReader">,
  session: string,
  after = 0,
): Promise<Report | undefined> {
  const log = await store.openReader(session);
  if (log === undefined) return undefined;
  try {
    let below = Number.POSITIVE_INFINITY;
    for (let looked = 0; looked < MESSAGES_LOOKED_AT; looked++) {
      const entry = await log.newest("message", below, after);
      if (entry === undefined || entry.sequence <= after) return undefined;
      below = entry.sequence;
      const read = readPayload(entry);
      if (read.kind !== "message" || read.payload.role !== "assistant") continue;
      const { blocks } = read.payload;
      const text = blocks.flatMap((block) => (block.kind === "text" ? block.text : [])).join("");
      const isFinal = looked === 0 && !blocks.some(({ kind }) => kind === "tool_call");
      if (text !== "") return { text, isFinal };
    }
    return undefined;
  } finally {
    await log.close();
  }
}
