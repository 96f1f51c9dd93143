import type { Store } from "palimpsest";
import { EXIT } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";
import { entryLines } from "./text/entry-lines.ts";

export interface FollowLogOptions {
  readonly store: Store;
  readonly session: string;
  readonly format: "text" | "json";
  /** Resolves to false when no more entries will come. */
  readonly continues: () => Promise<boolean>;
  readonly terminal: Terminal;
}

const SHOWN_LINES = 12;
/** The log belongs to another process, so new entries are found by polling. */
const LOOK_EVERY_MS = 300;

/** Prints the entries of a log and waits for more, until none will come. */
export async function followLog({ store, session, format, continues, terminal }: FollowLogOptions): Promise<number> {
  const signal = terminal.interruption();
  let printed = 0;
  for (;;) {
    // Asked before reading, so that entries written in between are still printed.
    const more = await continues();
    const reader = await store.openReader(session);
    const { sequence } = (await reader?.head()) ?? { sequence: 0 };
    for (const entry of (await reader?.read(printed + 1, sequence)) ?? []) {
      const shown = format === "json" ? JSON.stringify(entry) : entryLines(entry, SHOWN_LINES);
      if (shown !== undefined) await terminal.print(shown);
    }
    printed = Math.max(printed, sequence);
    await reader?.close();
    if (signal.aborted) return typeof signal.reason === "number" ? signal.reason : EXIT.interrupted;
    if (!more) return EXIT.done;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
