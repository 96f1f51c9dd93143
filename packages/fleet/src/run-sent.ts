import type { RunQueue } from "@palimpsest/coordination";
import type { SentRun } from "./relay.ts";
import { type RunOnceOptions, runOnce } from "./run-once.ts";
import type { Work } from "./scheduler.ts";
import type { Suspects } from "./suspects.ts";
import { tellSetAside } from "./tell-set-aside.ts";

export interface RunSentOptions extends RunOnceOptions {
  /** Those of this worker. */
  readonly suspects: Suspects;
}

/** Runs a session that another engine has given to this worker: takes it over from whoever has it, and ends its run in the queue. */
export async function runSent(queue: RunQueue, sent: SentRun, work: Work, options: RunSentOptions): Promise<void> {
  const { tenant, session, from } = sent;
  const { suspects } = options;
  const { runs, setAside } = await queue.takeOver({ tenant, session }, { from });
  await tellSetAside(setAside, options);
  // None: it was sent twice, and has run.
  for (const run of await suspects.admit(runs)) await runOnce(run, work, options).finally(() => suspects.end(run));
}
