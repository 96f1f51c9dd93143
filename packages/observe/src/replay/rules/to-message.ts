import type { Block, ToolCall } from "palimpsest";
import { countedText, thoughtsOf } from "../fit-sizes.ts";
import { textOf } from "../needs.ts";
import type { RecordedItem } from "../recording.ts";
import type { RuleMessage } from "./rule.ts";

/** Tokens that the simulator's tokenizer adds for every block. */
export const BLOCK_TOKENS = 4;

type CountText = (text: string) => number;

/** Converts items of a recording to messages for rules. */
export function createToMessage(
  items: readonly RecordedItem[],
  countText: CountText,
): (item: RecordedItem) => RuleMessage {
  const calls = new Map<string, ToolCall>();
  for (const { blocks } of items)
    for (const block of blocks) if (block.kind === "tool_call") calls.set(block.id, block);
  return (item) => {
    const [first] = item.blocks;
    const common = {
      text: textOf(item),
      tokens: item.blocks.reduce(
        (sum, block) => sum + countText(countedText(block)) + BLOCK_TOKENS,
        thoughtsOf(item.blocks),
      ),
      blocks: Math.max(1, item.blocks.length),
      item: item.index,
    };
    if (item.role === "assistant") {
      const said = textOf({ blocks: item.blocks.filter(({ kind }) => kind === "text") });
      return { kind: "response", ...common, said, calls: item.blocks.filter((block) => block.kind === "tool_call") };
    }
    if (first?.kind !== "tool_result") return { kind: item.origin === "human" ? "words" : "host", ...common };
    const call = calls.get(first.callId);
    return { kind: "result", ...common, status: first.status, call };
  };
}

/** Calls have a frame in the output; text has none. */
export function outputTokensOf(blocks: readonly Block[], countText: CountText): number {
  const frame = ({ kind }: Block): number => (kind === "tool_call" ? BLOCK_TOKENS : 0);
  return blocks.reduce((sum, block) => sum + countText(countedText(block)) + frame(block), thoughtsOf(blocks));
}
