import { type Digest, digestText } from "../../digest.ts";
import { type Block, blocksOf, isSummary, type Message, type MessagesRequest, type Tool } from "../request.ts";
import type { Measure, Measures } from "./measure.ts";

/** One block of the conversation, with its measures and its place in the request for error texts and reports. */
export interface PlacedBlock {
  readonly role: Message["role"];
  readonly block: Block;
  readonly measure: Measure;
  readonly messageIndex: number;
  readonly blockIndex: number;
}

/**
 * Returns the messages as one list of blocks, without empty parts: the one empty message that the rules allow, and
 * failed compactions.
 */
export function conversationOf({ messages, tools = [] }: MessagesRequest, measures: Measures): PlacedBlock[] {
  const conversation: PlacedBlock[] = [];
  const definitions = new Map(tools.map((tool) => [tool.name, tool]));
  for (let messageIndex = 0; messageIndex < messages.length; messageIndex++) {
    const { role, content } = messages[messageIndex]!;
    if (content === "") continue;
    const blocks = blocksOf(content);
    for (let blockIndex = 0; blockIndex < blocks.length; blockIndex++) {
      const block = blocks[blockIndex]!;
      if (block.type === "compaction" && !isSummary(block)) continue;
      conversation.push({
        role,
        block,
        measure: measures.block(withDefinitions(block, definitions)),
        messageIndex,
        blockIndex,
      });
    }
  }
  return conversation;
}

/** The block as the model reads it: a reference to a tool stands for its definition, which is counted and bound there. */
function withDefinitions(block: Block, definitions: ReadonlyMap<string | undefined, Tool>): Block {
  const content = block.type === "tool_result" ? block["content"] : undefined;
  if (!Array.isArray(content) || !(content as Block[]).some(({ type }) => type === "tool_reference")) return block;
  const parts = (content as Block[]).map((part) => {
    const tool = part.type === "tool_reference" ? definitions.get(part["tool_name"] as string) : undefined;
    return tool === undefined ? part : { ...part, definition: tool };
  });
  return { ...block, content: parts };
}

export function pathOf(said: PlacedBlock): string {
  return `messages.${said.messageIndex}.content.${said.blockIndex}`;
}

/** Mixed into a fingerprint where the role changes: the same text in another role is another conversation. */
export const ROLE_DIGESTS: Readonly<Record<PlacedBlock["role"], Digest>> = {
  user: digestText("role:user"),
  assistant: digestText("role:assistant"),
  system: digestText("role:system"),
};

/** Returns the part of a compacted conversation that counts: everything from its latest summary on. */
export function sinceCompaction(conversation: readonly PlacedBlock[]): readonly PlacedBlock[] {
  const start = conversation.findLastIndex(({ measure }) => measure.kind === "summary");
  return start <= 0 ? conversation : conversation.slice(start);
}

/** Returns what the model sees: system messages that last until the next user message are removed after it. */
export function withoutCleared(
  conversation: readonly PlacedBlock[],
  { messages }: MessagesRequest,
): readonly PlacedBlock[] {
  if (!messages.some(({ clear_at }) => clear_at === "next_user_message")) return conversation;
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  return conversation.filter(
    ({ messageIndex }) => messageIndex > lastUser || messages[messageIndex]!.clear_at !== "next_user_message",
  );
}
