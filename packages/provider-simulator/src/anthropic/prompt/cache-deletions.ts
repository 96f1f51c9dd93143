import type { MessagesRequest } from "../request.ts";
import type { CachePlan } from "./cache.ts";
import type { PlacedBlock } from "./conversation.ts";
import type { RenderedPrompt } from "./render.ts";

export interface Deletion {
  /** The same blocks with the same fingerprints; those that are deleted weigh nothing. */
  readonly conversation: readonly PlacedBlock[];
  readonly deletedTokens: number;
}

/**
 * An extension of ours, of which no public API has the like: results are deleted from the cached prefix itself, so that all
 * that is cached behind them stays. It holds for one request, and only for what that request reads from the cache: a
 * result that is not there cannot be deleted from it, and an id that nothing answers to is passed over.
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
