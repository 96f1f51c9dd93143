// Reads messages of the AI SDK.

import type { Block, SyncMessage } from "palimpsest";
import type { MessagePayload } from "palimpsest/provider-parts";
import { asObject } from "palimpsest/schema";
import { readContent } from "./read-part.ts";
import type { AiSdkMessage } from "./wire.ts";

/** Converts a prompt to a list of messages that a session can adopt. */
export function toSyncMessages(prompt: readonly AiSdkMessage[]): readonly SyncMessage[] {
  return prompt.map((message) => {
    if (message.role === "system") return { role: "system", content: message.content };
    const role = message.role === "assistant" ? "assistant" : "user";
    return { role, content: readContent(asObject(message) ?? {}) };
  });
}

/** Reads messages of a prompt, even malformed ones. Each tool result becomes a separate message. */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  return messages.flatMap((value): readonly MessagePayload[] => {
    const message = asObject(value);
    if (message === undefined) return [];
    const blocks = readContent(message);
    if (message["role"] === "assistant") return toPayloads("assistant", "model", blocks);
    const isResult = (block: Block): boolean => block.kind === "tool_result";
    const origin = message["role"] === "user" || message["role"] === "tool" ? "human" : "host";
    return [
      ...blocks.filter(isResult).flatMap((result) => toPayloads("user", "tool", [result])),
      ...toPayloads(
        "user",
        origin,
        blocks.filter((block) => !isResult(block)),
      ),
    ];
  });
}

function toPayloads(
  role: MessagePayload["role"],
  origin: MessagePayload["origin"],
  blocks: readonly Block[],
): readonly MessagePayload[] {
  return blocks.length === 0 ? [] : [{ role, origin, blocks }];
}
