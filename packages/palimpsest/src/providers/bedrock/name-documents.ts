import type { BedrockBlock, BedrockMessage } from "./wire.ts";

/** The service refuses two documents of one name anywhere in a request, so the second of the same content is numbered. */
export function nameDocuments(messages: readonly BedrockMessage[]): readonly BedrockMessage[] {
  const counts = new Map<string, number>();

  function rename<Named extends BedrockBlock>(block: Named): Named {
    if (block.document !== undefined) {
      const { name } = block.document;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count === 1 ? block : { ...block, document: { ...block.document, name: `${name} ${count}` } };
    }
    const { toolResult } = block;
    if (toolResult === undefined || !toolResult.content.some(({ document }) => document)) return block;
    return { ...block, toolResult: { ...toolResult, content: toolResult.content.map(rename) } };
  }

  return messages.map((message) =>
    hasDocument(message) ? { ...message, content: message.content.map(rename) } : message,
  );
}

function hasDocument({ content }: BedrockMessage): boolean {
  return content.some(({ document, toolResult }) => document ?? toolResult?.content.some((part) => part.document));
}
