/**
 * A process that speaks, rewinds, undoes compactions and takes content out, with a policy that prepares summaries, until it is
 * killed. Each message is told on standard output when it is kept, and the beginning and the end of each preparation and compaction.
 *
 * Arguments: folder, session.
 */
import { writeSync } from "node:fs";
import { openSession, readStream } from "palimpsest";
import { coding, nearCompaction, type Policy } from "palimpsest/policy";
import { sqliteStore } from "palimpsest/sqlite";
import { speakingModel } from "./simulated-model.ts";

/** One line of output. */
export type PreparingLine =
  | { readonly kind: "said"; readonly entry: number; readonly text: string }
  | { readonly kind: "preparing" | "prepared" | "dropped" | "installing" | "ended" };

/** The policy compacts from here on. */
const FROM_TOKENS = 6_000;

/** The policy of the trial. Half of the processes do not wait for summaries. */
export function preparingPolicy(patience: Policy["compact"]["patience"]): Policy {
  const usual = coding();
  return {
    ...usual,
    clear: [],
    compact: {
      ...usual.compact,
      when: ({ size }) =>
        size.tokens < FROM_TOKENS ? undefined : { level: "requested", because: `${size.tokens} tokens` },
      prepareAhead: nearCompaction({ idleShare: 0.6, inTurnShare: 0.6, maxTailTokens: 3_000 }),
      patience,
    },
  };
}

if (import.meta.main) await work(process.argv[2] ?? "", process.argv[3] ?? "");

async function work(folder: string, id: string): Promise<void> {
  const { provider, model } = speakingModel({ onSummary: () => emit({ kind: "preparing" }) });
  const session = await openSession({
    ...{ id, provider, model, takeover: "always" },
    store: sqliteStore({ folder }),
    policy: preparingPolicy(process.pid % 2 === 0 ? "wait" : "when-required"),
    onEvent({ kind }) {
      if (kind === "summary-prepared") emit({ kind: "prepared" });
      if (kind === "prepared-summary-dropped") emit({ kind: "dropped" });
      if (kind === "compaction-started") emit({ kind: "installing" });
      if (kind === "compaction-ended") emit({ kind: "ended" });
    },
  });
  for (let round = 0; ; round++) {
    const text = `Message ${process.pid}.${round}: ${"the loader in src/load.ts ".repeat(60)}`;
    const [entry] = await session.append(text);
    emit({ kind: "said", entry: entry!, text });
    const request = await session.prepare();
    await session.record(await readStream(session.provider.send(request)), request);
    if (Math.random() < 0.15) await disturb(session);
  }
}

/** Changes what the conversation shows, as a user does who changes their mind. */
async function disturb(session: Awaited<ReturnType<typeof openSession>>): Promise<void> {
  const { newestEntry } = session.history;
  const chance = Math.random();
  if (chance < 0.5) {
    await session.history.rewind(Math.max(1, newestEntry - 1 - Math.floor(Math.random() * 25)));
    return;
  }
  const [boundary] = await session.history.explain(1);
  if (chance < 0.7 && boundary?.inEffect === "yes") {
    await session.history.restore(boundary.boundary);
    return;
  }
  // The entry may be compacted, or may be no message.
  const entry = Math.max(1, newestEntry - Math.floor(Math.random() * 20));
  await session.history.snip({ from: entry, to: entry }).catch(() => undefined);
}

function emit(line: PreparingLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
