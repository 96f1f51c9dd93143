import type { MessagesRequest } from "../request.ts";
import type { CachePlan } from "./cache.ts";
import type { PlacedBlock } from "./conversation.ts";
import type { RenderedPrompt } from "./render.ts";

export interface Deletion {
  /** The same blocks with the same fingerprints; deleted ones count no tokens. */
  readonly conversation: readonly PlacedBlock[];
  readonly deletedTokens: number;
}

/**
 * Deletes results from the cached prefix itself, so that everything cached after them stays. This is our own extension:
 * no public API has it. A deletion applies to one request, and only to content that the request reads from the cache. A
 * result that is not cached cannot be deleted, and an unknown id is ignored.
 */
export function deleteCached(
  { cache_edits }: MessagesRequest,
  conversation: readonly PlacedBlock[],
  { prefix }: RenderedPrompt,
  { outcome }: CachePlan,
): Deletion | undefined {
  const ids = new Set<unknown>(cache_edits?.deleted_tool_results);
  if (ids.size === 0) return undefined;
  const blocksBefore = prefix.length - conversation.length;
  let deletedTokens = 0;
  const left = conversation.map((said, index): PlacedBlock => {
    const { block, measure } = said;
    const isRead = blocksBefore + index < outcome.blocksRead;
    if (!(isRead && block.type === "tool_result" && ids.has(block["tool_use_id"]))) return said;
    deletedTokens += measure.tokens;
    return { ...said, measure: { ...measure, tokens: 0 } };
  });
  return deletedTokens === 0 ? undefined : { conversation: left, deletedTokens };
}
