import type { FlatMessage } from "./flat-message.ts";
import { type FlattenRules, flattenSegment, joinNeighbors, type Trace } from "./flatten-segment.ts";
import type { Item, MessageItem } from "./item.ts";

/** The messages of a view, updated from request to request. */
export interface Flattener {
  /** Everything that has been part of a request, in order. */
  readonly messages: readonly FlatMessage[];
  /**
   * Takes the current items, and how many of them, from the front, are the same as in the previous call. Only later items are
   * flattened again, so a request costs only its new part. Returns how many messages stayed the same.
   */
  update(items: readonly Item[], unchangedItems: number): number;
  /** The message counts of the newest requests, oldest first, without requests whose last message has grown since. */
  newestEnds(limit: number): readonly number[];
}

/** The items between two requests, and the messages up to their end. */
interface Segment {
  readonly seal: number;
  readonly itemCount: number;
  readonly messageCount: number;
  readonly callIds: readonly string[];
  /** The last message before this segment, if the first message of the segment was joined to it. */
  readonly joined: FlatMessage | undefined;
}

export function createFlattener(rules: FlattenRules, trace?: Trace): Flattener {
  const messages: FlatMessage[] = [];
  const segments: Segment[] = [];
  const usedIds = new Set<string>();

  function dropLastSegment(): number {
    const { callIds, joined } = segments.pop()!;
    for (const id of callIds) usedIds.delete(id);
    const left = (segments.at(-1)?.messageCount ?? 0) - (joined === undefined ? 0 : 1);
    messages.length = left;
    if (joined !== undefined) messages.push(joined);
    return left;
  }

  function addSegment(items: readonly MessageItem[], seal: number, itemCount: number): number {
    const start = { seal: segments.at(-1)?.seal ?? 0, role: messages.at(-1)?.role, usedIds };
    const { messages: added, callIds } = flattenSegment(items, start, rules, trace);
    for (const id of callIds) usedIds.add(id);
    const joined = added[0]?.role === start.role ? messages.pop() : undefined;
    const unchanged = messages.length;
    for (const message of joined === undefined ? added : joinNeighbors([joined, ...added])) messages.push(message);
    segments.push({ seal, itemCount, messageCount: messages.length, callIds, joined });
    return unchanged;
  }

  return {
    messages,
    update(items, unchangedItems) {
      let unchanged = messages.length;
      while ((segments.at(-1)?.itemCount ?? 0) > unchangedItems) {
        unchanged = Math.min(unchanged, dropLastSegment());
      }
      for (const { segment, seal, itemCount } of sealedSegments(items, segments.at(-1)?.itemCount ?? 0)) {
        unchanged = Math.min(unchanged, addSegment(segment, seal, itemCount));
      }
      return unchanged;
    },
    newestEnds(limit) {
      const ends: number[] = [];
      let grown = false;
      for (let index = segments.length - 1; index >= 0 && ends.length < limit; index--) {
        const { messageCount, joined } = segments[index]!;
        if (!grown && messageCount > 0 && messageCount !== ends[0]) ends.unshift(messageCount);
        grown = joined !== undefined;
      }
      return ends;
    },
  };
}

function* sealedSegments(items: readonly Item[], from: number) {
  let segment: MessageItem[] = [];
  for (let index = from; index < items.length; index++) {
    const item = items[index]!;
    if (item.kind === "message") {
      segment.push(item);
    } else {
      yield { segment, seal: item.from, itemCount: index + 1 };
      segment = [];
    }
  }
}
