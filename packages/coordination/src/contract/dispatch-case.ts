import assert from "node:assert/strict";
import type { Store } from "palimpsest";
import { sealEntries, sha256 } from "palimpsest/store-parts";
import type { DispatchWithQueue } from "../dispatch.ts";
import type { Run, TakenRuns } from "../schedule/run-queue.ts";

/** A new, empty place that workers share, and a clock that the test moves. */
export interface DispatchPlace {
  /** Opens the shared state as one more process. Whatever is opened is closed by the place. */
  open(): Promise<DispatchWithQueue>;
  /** Appends entries to the log of a session, so that its newest one has this number. */
  growLog(session: string, newestEntry: number): Promise<void>;
  nowMs(): number;
  advanceClock(byMs: number): void;
  /** After this long without a renewal a run is given to another worker. */
  readonly silentAfterMs: number;
  /** After so many runs without an end a session is set aside. */
  readonly maxAttempts: number;
  /** Called at the end of a case, whether it passed or not. */
  remove(): Promise<void>;
}

/** Runs one case of the contract in a new place. */
export type DispatchCheck = (name: string, run: (place: DispatchPlace) => Promise<void>) => void;

export function names({ runs }: TakenRuns): readonly string[] {
  return runs.map(({ session }) => session).sort();
}

export async function takeOne({ queue }: Pick<DispatchWithQueue, "queue">): Promise<Run> {
  const { runs } = await queue.take({ limit: 1 });
  assert.equal(runs.length, 1, "no session is due");
  return runs[0]!;
}

/** Appends entries to the log of a session, so that its newest one has this number. */
export async function growLog(store: Store, session: string, newestEntry: number): Promise<void> {
  const result = await store.openWriter(session, { owner: "test", takeover: "always" });
  assert.ok(result.kind === "opened");
  const head = await result.writer.head();
  const draft = { kind: "message", version: 1, payload: "{}" };
  const drafts = Array.from({ length: newestEntry - head.sequence }, () => draft);
  await result.writer.append(sealEntries(drafts, { head, atMs: 1_700_000_000_000, digest: sha256 }));
  await result.writer.close();
}
