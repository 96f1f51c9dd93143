import type { RecordedMessage } from "./recorded.ts";

type Link = Pick<RecordedMessage, "id" | "parentId" | "origin" | "responseId" | "blocks">;

/**
 * Where recorded messages stand, in numbers that rise as the reader gives them, and what follows what: what it takes to know
 * that somebody went back.
 */
export interface Thread {
  /** The newest place that a message has. */
  at(id: string): number | undefined;
  /** The place of the result of a call: the newest, where an id was used again. */
  resultOf(callId: string): number | undefined;
  note(place: number, message: Link): void;
  /** A compaction: what comes after it follows nothing that came before. */
  pass(place: number, compaction: Pick<RecordedMessage, "id" | "parentId">): void;
  /** The newest place that stays, if this message of the user goes back; undefined if it just goes on. */
  findRewind(message: Pick<RecordedMessage, "parentId">): number | undefined;
}

interface Known {
  readonly place: number;
  readonly parentId: string | undefined;
  readonly responseId?: string;
}

/** Memory grows with the number of messages (an id each). */
export function createThread(): Thread {
  const known = new Map<string, Known>();
  const results = new Map<string, number>();
  /** Where the user has said something, or a summary has. */
  const turns: number[] = [];
  let newestResponse: string | undefined;

  /** The nearest response at or above a message. */
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
    at: (id) => known.get(id)?.place,
    resultOf: (callId) => results.get(callId),
    note(place, { id, parentId, origin, responseId, blocks }) {
      known.set(id, { place, parentId, ...(responseId === undefined ? {} : { responseId }) });
      if (origin === "human" || origin === "summary") turns.push(place);
      if (responseId !== undefined) newestResponse = responseId;
      for (const block of blocks) if (block.kind === "tool_result") results.set(block.callId, place);
    },
    pass(place, { id, parentId }) {
      known.set(id, { place, parentId });
      newestResponse = undefined;
    },
    findRewind({ parentId }) {
      if (newestResponse === undefined) return undefined;
      const parent = parentId === undefined ? { place: 0 } : known.get(parentId);
      const above = responseAbove(parentId);
      // A parent that is not there was lost, and tells nothing. Without any, it begins anew.
      if (parent === undefined || above === newestResponse) return undefined;
      // What belongs to the round of its parent stays: results that lie off the chain.
      const next = turns.find((place) => place > parent.place);
      if (next === undefined) return undefined;
      newestResponse = above;
      return next - 1;
    },
  };
}
