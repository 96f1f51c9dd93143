import type { Block, Media } from "./block.ts";
import { readPayload } from "./draft.ts";
import type { Entry } from "./entry.ts";

/**
 * The text of an entry, for search and recall. Undefined if it has none (a request, a usage report) or its payload is erased. A
 * message with one text block is that text, unchanged; other messages have one part per line. Thinking is left out, because it
 * belongs to the provider and is often unreadable.
 */
export function entryText(entry: Entry): string | undefined {
  const read = readPayload(entry);
  switch (read.kind) {
    case "message":
    case "attachment":
      return blocksText(read.payload.blocks);
    case "replace":
    case "boundary":
      return read.payload.with.map(({ blocks }) => blocksText(blocks)).join("\n");
    default:
      return undefined;
  }
}

function blocksText(blocks: readonly Block[]): string {
  return blocks.flatMap(blockTexts).join("\n");
}

function blockTexts(block: Block): readonly string[] {
  switch (block.kind) {
    case "text":
      return [block.text];
    case "thinking":
      return [];
    case "tool_call":
      return [`[call of ${block.name}] ${JSON.stringify(block.input) ?? ""}`];
    case "tool_result":
      return typeof block.content === "string" ? [block.content] : block.content.flatMap(blockTexts);
    case "image":
    case "document":
      return [mediaText(block)];
    case "opaque":
      return [];
  }
}

function mediaText({ kind, source }: Media): string {
  return source.kind === "url" ? `[${kind}: ${source.url}]` : `[${kind}: ${source.mediaType}]`;
}
