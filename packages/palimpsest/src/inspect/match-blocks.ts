import type { Block } from "../log/block.ts";

/** So much of a text is enough to recognize it. */
const SOUGHT_CHARACTERS = 64;

/**
 * Which block each piece of a rendered message shows. Most forms have one piece for each block. In others a piece is recognized
 * by what it quotes; one that quotes nothing belongs to the block before it.
 *
 * @returns the index of a block for each piece
 */
export function matchBlocks(pieces: readonly string[], blocks: readonly Block[]): readonly number[] {
  if (pieces.length === blocks.length) return pieces.map((_, index) => index);
  const quotes = blocks.map(quotesOf);
  let at = -1;
  return pieces.map((piece) => {
    const next = quotes.findIndex((sought, index) => index > at && sought.some((quote) => piece.includes(quote)));
    if (next >= 0) at = next;
    return Math.max(0, at);
  });
}

function quotesOf(block: Block): readonly string[] {
  switch (block.kind) {
    case "text":
      return quote(block.text);
    case "thinking":
      return [...quote(block.signature), ...quote(block.text)];
    case "tool_call":
      return [...quote(block.id), ...quote(block.name)];
    case "tool_result":
      return [
        ...quote(block.callId),
        ...(typeof block.content === "string" ? quote(block.content) : block.content.flatMap(quotesOf)),
      ];
    case "image":
    case "document":
      return quote(block.source.kind === "url" ? block.source.url : block.source.data);
    case "opaque":
      return [JSON.stringify(block.native.block).slice(0, SOUGHT_CHARACTERS)];
  }
}

/** As it stands in JSON: with its opening quotation mark, and with the closing one if it is short. */
function quote(text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  if (text.length <= SOUGHT_CHARACTERS) return [JSON.stringify(text)];
  return [JSON.stringify(text.slice(0, SOUGHT_CHARACTERS)).slice(0, -1)];
}
