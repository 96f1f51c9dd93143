import type { Store } from "palimpsest";
import { entryLines } from "../cli/entry-lines.ts";
import { EXIT } from "../cli/exit-codes.ts";
import type { Terminal } from "../cli/terminal.ts";

export interface FollowLogOptions {
  readonly store: Store;
  readonly session: string;
  readonly format: "text" | "json";
  /** Whether more is to come. */
  readonly goesOn: () => Promise<boolean>;
  readonly terminal: Terminal;
}

const SHOWN_LINES = 12;
/** A log of another process: nobody tells us when it grows. */
const LOOK_EVERY_MS = 300;

/** Prints what is in a log, and what comes, until nothing more does. */
export async function followLog({ store, session, format, goesOn, terminal }: FollowLogOptions): Promise<number> {
  const signal = terminal.interruption();
  let printed = 0;
  for (;;) {
    // Asked first: what came until then is printed below.
    const more = await goesOn();
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
