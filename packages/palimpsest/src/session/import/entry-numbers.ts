import type { RecordedMessage } from "../../import/recorded.ts";

/** Where recorded entries stand in our log, and what follows what: what it takes to know that somebody went back. */
export interface EntryNumbers {
  /** The entry that a recorded one became, if it became one. */
  at(id: string): number | undefined;
  /** The entry that holds the result of a call: the newest, where an id was used again. */
  resultOf(callId: string): number | undefined;
  note(entry: number, message: Pick<RecordedMessage, "id" | "parentId" | "origin" | "responseId" | "blocks">): void;
  /** A compaction or the like: it is between what came before and after. */
  pass(id: string, parentId: string | undefined, entry: number): void;
  /** The entry that this message of the user goes back to, and goes on from; undefined if it just goes on. */
  findRewind(message: Pick<RecordedMessage, "parentId">): number | undefined;
}

interface Known {
  readonly entry: number;
  readonly parentId: string | undefined;
  readonly responseId?: string;
}

/** Memory grows with the number of entries (an id each). */
export function createEntryNumbers(): EntryNumbers {
  const known = new Map<string, Known>();
  const results = new Map<string, number>();
  /** Where the user has said something, or a summary has. */
  const turns: number[] = [];
  let newestResponse: string | undefined;

  /** The nearest response at or above an entry. */
  function responseAbove(id: string | undefined): string | undefined {
    const seen = new Set<string>();
    for (let at = id; at !== undefined && !seen.has(at); ) {
      seen.add(at);
      const found = known.get(at);
      if (found?.responseId !== undefined) return found.responseId;
      at = found?.parentId;
    }
    return undefined;
  }

  return {
    at: (id) => known.get(id)?.entry,
    resultOf: (callId) => results.get(callId),
    note(entry, { id, parentId, origin, responseId, blocks }) {
      known.set(id, { entry, parentId, ...(responseId === undefined ? {} : { responseId }) });
      if (origin === "human" || origin === "summary") turns.push(entry);
      if (responseId !== undefined) newestResponse = responseId;
      for (const block of blocks) if (block.kind === "tool_result") results.set(block.callId, entry);
    },
    pass(id, parentId, entry) {
      known.set(id, { entry, parentId });
      newestResponse = undefined;
    },
    findRewind({ parentId }) {
      if (newestResponse === undefined) return undefined;
      const parent = parentId === undefined ? { entry: 0 } : known.get(parentId);
      const above = responseAbove(parentId);
      // A parent that is not there was lost, and tells nothing. Without any, it begins anew.
      if (parent === undefined || above === newestResponse) return undefined;
      // What belongs to the round of its parent stays: results that lie off the chain.
      const next = turns.find((entry) => entry > parent.entry);
      if (next === undefined) return undefined;
      newestResponse = above;
      return next - 1;
    },
  };
}
