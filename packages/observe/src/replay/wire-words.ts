/** A block of a Messages request, as far as words are looked for in it. */
export interface WireBlock {
  readonly type?: string;
  readonly [field: string]: unknown;
}

/** All words of a block that is no call. */
export function wordsOf(block: WireBlock): string {
  if (block.type === "text") return String(block["text"]);
  const content = block["content"];
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: WireBlock) => wordsOf(part)).join("\n") : "";
}
