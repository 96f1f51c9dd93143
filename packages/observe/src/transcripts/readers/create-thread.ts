import type { RecordedMessage } from "./recorded.ts";

type Link = Pick<RecordedMessage, "id" | "parentId" | "origin" | "responseId" | "blocks">;

/** Tracks the places of recorded messages, in rising numbers, and their parents, in order to detect rewinds. */
export interface Thread {
  /** Returns the newest place of a message. */
  at(id: string): number | undefined;
  /** Returns the place of a call's result; the newest, if an id was reused. */
  resultOf(callId: string): number | undefined;
  note(place: number, message: Link): void;
  /** Records a compaction: later messages do not follow anything before it. */
  pass(place: number, compaction: Pick<RecordedMessage, "id" | "parentId">): void;
  /** Returns the newest place that stays if this user message is a rewind; undefined if it continues. */
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
  /** Places of user messages and summaries. */
  const turns: number[] = [];
  let newestResponse: string | undefined;

  /** Returns the nearest response at or above a message. */
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
      known.set(id, { place, parentId, responseId });
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
      // A missing parent was lost and shows nothing. A message without any parent starts again.
      if (parent === undefined || above === newestResponse) return undefined;
      // Results outside the chain, in the round of the parent, stay.
      const next = turns.find((place) => place > parent.place);
      if (next === undefined) return undefined;
      newestResponse = above;
      return next - 1;
    },
  };
}
