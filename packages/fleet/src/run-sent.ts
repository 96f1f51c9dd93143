import type { RunQueue } from "@palimpsest/coordination";
import type { SentRun } from "./relay.ts";
import { type RunOnceOptions, runOnce } from "./run-once.ts";
import type { Work } from "./scheduler.ts";
import { tellSetAside } from "./tell-set-aside.ts";

/** Runs a session that another engine has given to this worker: takes it over from whoever has it, and ends its run in the queue. */
export async function runSent(queue: RunQueue, sent: SentRun, work: Work, options: RunOnceOptions): Promise<void> {
  const { tenant, session, from } = sent;
  const { runs, setAside } = await queue.takeOver({ tenant, session }, { from });
  await tellSetAside(setAside, options);
  // None: it was sent twice, and has run.
  for (const run of runs) await runOnce(run, work, options);
}
