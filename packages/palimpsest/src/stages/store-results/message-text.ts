import type { Block, Part, ToolResult } from "../../log/block.ts";
import type { MessagePayload, StoredContent } from "../../log/payload.ts";

/** The text of an empty result: providers refuse or misread a block without content. */
const NO_OUTPUT = "(no output)";

/** Returns the tool result of a message, if the message is one. */
export function resultOf({ blocks }: { readonly blocks: readonly Block[] }): ToolResult | undefined {
  const [block, ...more] = blocks;
  return block?.kind === "tool_result" && more.length === 0 ? block : undefined;
}

/** Returns all text of a message or of its result; parts are on lines of their own. */
export function textOf({ blocks }: { readonly blocks: readonly Block[] }): string {
  const result = resultOf({ blocks });
  const parts: readonly Block[] = result === undefined ? blocks : partsOf(result);
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

/** Gives an empty result a text that says so. */
export function markEmpty(payload: MessagePayload): MessagePayload {
  const result = resultOf(payload);
  if (result === undefined) return payload;
  const isEmpty = partsOf(result).every((part) => part.kind === "text" && part.text.trim() === "");
  return isEmpty ? { ...payload, blocks: [{ ...result, content: NO_OUTPUT }] } : payload;
}

/** Returns the blocks with one text in place of their first text, and without their other texts. Other blocks stay. */
export function withText(blocks: readonly Block[], text: string): readonly Block[] {
  const result = resultOf({ blocks });
  if (result === undefined) return replaceTexts(blocks, text);
  const content = typeof result.content === "string" ? text : (replaceTexts(result.content, text) as readonly Part[]);
  return [{ ...result, content }];
}

export function withPreview(payload: MessagePayload, preview: string, stored: StoredContent): MessagePayload {
  return { ...payload, blocks: withText(payload.blocks, preview), stored };
}

function replaceTexts(blocks: readonly Block[], text: string): readonly Block[] {
  const first = blocks.findIndex(({ kind }) => kind === "text");
  const shown: Block = { kind: "text", text };
  if (first < 0) return [shown, ...blocks];
  const others = (some: readonly Block[]): readonly Block[] => some.filter(({ kind }) => kind !== "text");
  return [...blocks.slice(0, first), shown, ...others(blocks.slice(first))];
}

function partsOf({ content }: ToolResult): readonly Part[] {
  return typeof content === "string" ? [{ kind: "text", text: content }] : content;
}
