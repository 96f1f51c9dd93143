import { type Cause, type ChangeCause, findDrop, nameCauses } from "palimpsest/inspect";
import { LIFETIME_MS, lifetimeOf } from "../cache-fidelity/replay.ts";
import { type Change, type RecordedRequest, rebuildRequests } from "../cache-fidelity/requests.ts";
import type { RecordedFile } from "../traces.ts";

/** What the record shows, in the words of the ledger. A new process builds its system prompt anew. */
const CAUSES: Readonly<Record<Change, ChangeCause>> = {
  compaction: "boundary",
  "new-start": "rewind",
  microcompaction: "replace",
  restart: "system",
  shrunk: "replace",
};

/** How far before a mark the provider looks; some clients mark only the newest message. */
const LOOK_BACK_BLOCKS = 20;

/** `look-back`: the client added more blocks than the provider looks back over, which our own marks prevent. */
export type RecordedCause = Cause | "look-back";

export interface RecordedBreaks {
  readonly requests: number;
  /** The causes of each, the one that comes first in the prompt first. */
  readonly breaks: readonly (readonly RecordedCause[])[];
}

/** The breaks of a recorded session by the rules of the ledger, as far as the record tells what lies between. */
export function findRecordedBreaks({ entries }: RecordedFile): RecordedBreaks {
  const session = entries.find((entry) => entry.kind === "session");
  const requests = session?.agent === "claude-code" ? rebuildRequests(entries) : [];
  const breaks: RecordedCause[][] = [];
  let lifetimeMs = LIFETIME_MS["5m"];
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1];
    const lifetime = before && lifetimeOf(before);
    if (lifetime !== undefined) lifetimeMs = LIFETIME_MS[lifetime];
    if (before === undefined || findDrop(tokensOf(before), tokensOf(request)) === undefined) continue;
    const model = request.usage.model === before.usage.model ? [] : [{ cause: "model" as const }];
    const changes = [...model, ...request.changes.map((change) => ({ cause: CAUSES[change] }))];
    const causes = nameCauses({ changes, pauseMs: request.sentAtMs - before.sentAtMs, lifetimeMs });
    breaks.push(causes[0] === "server" && outrunsLookBack(request, before) ? ["look-back"] : [...causes]);
  }
  return { requests: requests.length, breaks };
}

function tokensOf({ usage }: RecordedRequest) {
  return { cacheReadTokens: usage.cacheReadTokens, cacheWriteTokens: usage.cacheWriteTokens ?? 0 };
}

function outrunsLookBack(request: RecordedRequest, before: RecordedRequest): boolean {
  const known = new Set(before.blocks.map(({ key }) => key));
  return request.blocks.filter(({ key }) => !known.has(key)).length > LOOK_BACK_BLOCKS;
}
