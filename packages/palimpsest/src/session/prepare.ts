import type { NotesKeeper } from "../notes/keeper.ts";
import type { Requests } from "../state/ports.ts";
import type { SessionState } from "../state/state.ts";
import type { AutoCompaction } from "./compact/auto-compaction.ts";
import type { PrepareOptions } from "./session.ts";

export interface PrepareParts<Request> {
  readonly requests: Pick<Requests<Request>, "prepare">;
  readonly notes: Pick<NotesKeeper, "onRequest">;
  readonly automatic: Pick<AutoCompaction, "beforeRequest">;
}

/** The next request, after a compaction if one is due. */
export function createPrepare<Request>(
  { inOrder }: Pick<SessionState, "inOrder">,
  { requests, notes, automatic }: PrepareParts<Request>,
): (how?: PrepareOptions) => Promise<Request> {
  return async (how = {}) => {
    notes.onRequest();
    const first = await inOrder(() => requests.prepare("first", how.answer));
    if (first.kind === "request") return first.request;
    await automatic.beforeRequest(first.due, how);
    how.signal?.throwIfAborted();
    const second = await inOrder(() => requests.prepare("not-now", how.answer));
    // Asked not to speak of compaction, it has nothing else to answer.
    if (second.kind !== "request") throw new TypeError("No request was prepared.");
    return second.request;
  };
}
