import type { Block } from "../../log/block.ts";
import type { ReadEntry } from "../../log/draft.ts";
import type { ErasedPayload } from "../../log/payload.ts";

type Content = Extract<ReadEntry, { kind: "message" | "attachment" }>;

/**
 * What is shown in place of content that is erased: who said it and when stays, and so do the calls and results that others
 * hang on, without what they say. Thinking goes: it is the provider's, and bound to what stood beside it.
 */
export function stubOf({ kind, sequence: entry, payload }: Content): ErasedPayload {
  const blocks = stubBlocks(payload.blocks, `[Entry ${entry} was erased.]`);
  if (kind === "attachment") return { was: kind, entry, stub: { ...payload, blocks } };
  const { stored: _, ...rest } = payload;
  return { was: kind, entry, stub: { ...rest, blocks } };
}

function stubBlocks(blocks: readonly Block[], text: string): readonly Block[] {
  const kept = blocks.flatMap((block): readonly Block[] => {
    if (block.kind === "tool_call") return [{ kind: "tool_call", id: block.id, name: block.name, input: {} }];
    if (block.kind === "tool_result") return [{ ...block, content: text }];
    return [];
  });
  // A result says by itself that it was erased; a call cannot.
  return kept.some(({ kind }) => kind === "tool_result") ? kept : [{ kind: "text", text }, ...kept];
}
