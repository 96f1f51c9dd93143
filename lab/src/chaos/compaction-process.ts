/**
 * A process that fills a session and compacts it, again and again, until it is killed. Each message is told on standard
 * output when it is kept, and each compaction when it begins and when it is installed. What summarizes is sometimes good,
 * sometimes of no use, so that all rungs are killed on.
 *
 * Arguments: folder, session.
 */
import { writeSync } from "node:fs";
import { openSession } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite";
import { simulatedModel } from "./simulated-model.ts";

/** One line of output. */
export type CompactionLine =
  | { readonly kind: "said"; readonly entry: number; readonly text: string }
  | { readonly kind: "compacting" }
  | { readonly kind: "compacted"; readonly boundary: number };

const [folder = "", session = ""] = process.argv.slice(2);
await work();

async function work(): Promise<void> {
  const { provider, model } = simulatedModel(() => Math.random() < 0.6);
  const store = sqliteStore({ folder });
  const opened = await openSession({ id: session, store, provider, model, takeover: "always" });
  for (let round = 0; ; round++) {
    for (let message = 0; message < 3; message++) {
      const text = `Message ${process.pid}.${round}.${message}: ${"the loader in src/load.ts ".repeat(80)}`;
      const [entry] = await opened.append(text);
      emit({ kind: "said", entry: entry!, text });
      await opened.append({ role: "assistant", origin: "host", blocks: [{ kind: "text", text: `Done ${round}.` }] });
    }
    emit({ kind: "compacting" });
    const outcome = await opened.compact();
    if (outcome.kind === "compacted") emit({ kind: "compacted", boundary: outcome.boundary });
  }
}

function emit(line: CompactionLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
