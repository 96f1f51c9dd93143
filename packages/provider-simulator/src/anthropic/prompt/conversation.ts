import { type Digest, digestText } from "../../digest.ts";
import { type Block, blocksOf, isSummary, type Message, type MessagesRequest } from "../request.ts";
import type { Measure, Measures } from "./measure.ts";

/** One block of the conversation, what it measures, and where it stands in the request for error texts and reports. */
export interface PlacedBlock {
  readonly role: Message["role"];
  readonly block: Block;
  readonly measure: Measure;
  readonly messageIndex: number;
  readonly blockIndex: number;
}

/**
 * The messages as one list of blocks. Left out is what says nothing: the one empty message the rules allow, and
 * compactions that failed.
 */
export function conversationOf({ messages }: MessagesRequest, measures: Measures): PlacedBlock[] {
  const conversation: PlacedBlock[] = [];
  for (let messageIndex = 0; messageIndex < messages.length; messageIndex++) {
    const { role, content } = messages[messageIndex]!;
    if (content === "") continue;
    const blocks = blocksOf(content);
    for (let blockIndex = 0; blockIndex < blocks.length; blockIndex++) {
      const block = blocks[blockIndex]!;
      if (block.type === "compaction" && !isSummary(block)) continue;
      conversation.push({ role, block, measure: measures.block(block), messageIndex, blockIndex });
    }
  }
  return conversation;
}

export function pathOf(said: PlacedBlock): string {
  return `messages.${said.messageIndex}.content.${said.blockIndex}`;
}

/** Mixed into a fingerprint where the role changes: the same words said by another are another conversation. */
export const ROLE_DIGESTS: Readonly<Record<PlacedBlock["role"], Digest>> = {
  user: digestText("role:user"),
  assistant: digestText("role:assistant"),
  system: digestText("role:system"),
};

/** What counts of a conversation that the service has compacted: everything from its latest summary on. */
export function sinceCompaction(conversation: readonly PlacedBlock[]): readonly PlacedBlock[] {
  const start = conversation.findLastIndex(({ measure }) => measure.kind === "summary");
  return start <= 0 ? conversation : conversation.slice(start);
}

/** What the model is shown: system messages that were to last until the user spoke again are gone once that happened. */
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
