import { join } from "node:path";
import { createInterface } from "node:readline";
import { startInspector, storeSource } from "@palimpsest/observe/inspector";
import { anthropic } from "palimpsest/anthropic";
import { openInspected, openLogIndex } from "palimpsest/inspect";
import { sqliteStore } from "palimpsest/sqlite";

/** What a fresh inspector prints when it is ready, as a line of JSON. */
export interface Served {
  readonly url: string;
  /** The first index of the log, from nothing. */
  readonly indexMs: number;
  readonly entries: number;
  /** Opening the index once more, when nothing is new. */
  readonly openMs: number;
}

/** What it has used until now: its answer to each line that it reads. */
export interface Used {
  readonly processorMs: number;
  /** The most memory that it had. */
  readonly rssMb: number;
}

const folder = process.argv[2]!;
const store = sqliteStore({ folder: join(folder, "log") });
const provider = anthropic({} as never);
const source = storeSource({ store, name: "lab" });
const file = join(folder, "index", `${source.keyOf("large")}.sqlite`);
const inspected = (await openInspected(store, "large"))!;

async function timeUpdate() {
  const startedAtMs = performance.now();
  const index = openLogIndex(inspected, file);
  const { head } = await index.update();
  index.close();
  return { ms: performance.now() - startedAtMs, entries: head.sequence };
}

const first = await timeUpdate();
const again = await timeUpdate();
const inspector = await startInspector({
  sources: [source],
  providerOf: async (name) => (name === provider.name ? (provider as never) : undefined),
  folder: join(folder, "index"),
});
const url = inspector.entryUrl(source.keyOf("large"));
console.log(JSON.stringify({ url, indexMs: first.ms, entries: first.entries, openMs: again.ms } satisfies Served));
for await (const _ of createInterface(process.stdin)) {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const used: Used = { processorMs: (userCPUTime + systemCPUTime) / 1_000, rssMb: maxRSS / 1_024 };
  console.log(JSON.stringify(used));
}
await inspector.close();
await inspected.close();
await store.close();
