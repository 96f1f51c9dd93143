import type { AnthropicMessage } from "../anthropic/reply/message.ts";
import type { Block } from "../anthropic/request.ts";
import type { ServerSentEvent } from "../http-face.ts";
import { inPieces } from "../in-pieces.ts";
import { inputTokensOf, type Usage } from "../usage.ts";
import type { ContentBlock } from "./request.ts";

/** The body of a response. */
export interface ConverseResponse {
  readonly output: { readonly message: { readonly role: "assistant"; readonly content: readonly ContentBlock[] } };
  readonly stopReason: string;
  readonly usage: object;
  readonly metrics: { readonly latencyMs: number };
}

export function toResponse({ content, stop_reason }: AnthropicMessage, usage: Usage): ConverseResponse {
  return {
    output: { message: { role: "assistant", content: content.flatMap(toContent) } },
    stopReason: toStopReason(stop_reason),
    usage: toTokenUsage(usage),
    metrics: { latencyMs: LATENCY_MS },
  };
}

/** The simulator takes no time, but the field is always there. */
const LATENCY_MS = 100;

/** The service has no word for a refusal by the model; that it is told as filtered content is assumed. */
function toStopReason(reason: AnthropicMessage["stop_reason"]): string {
  if (reason === "refusal") return "content_filtered";
  return reason === "pause_turn" || reason === "compaction" ? "end_turn" : reason;
}

/** The input leaves out what is cached, the total includes it (cline#4683). */
function toTokenUsage(usage: Usage): object {
  const { freshTokens, cacheReadTokens, cacheWriteTokens, longCacheWriteTokens, outputTokens } = usage;
  const cacheDetails = [
    { ttl: "1h", inputTokens: longCacheWriteTokens },
    { ttl: "5m", inputTokens: cacheWriteTokens },
  ].filter(({ inputTokens }) => inputTokens > 0);
  return {
    inputTokens: freshTokens,
    outputTokens,
    totalTokens: inputTokensOf(usage) + outputTokens,
    cacheReadInputTokens: cacheReadTokens,
    cacheWriteInputTokens: cacheWriteTokens + longCacheWriteTokens,
    ...(cacheDetails.length === 0 ? {} : { cacheDetails }),
  };
}

function toContent(block: Block): ContentBlock[] {
  switch (block.type) {
    case "text":
      return [{ text: block["text"] as string }];
    case "thinking": {
      const [text, signature] = [block["thinking"] as string, block["signature"] as string];
      return [{ reasoningContent: { reasoningText: { text, signature } } }];
    }
    case "redacted_thinking":
      return [{ reasoningContent: { redactedContent: block["data"] as string } }];
    case "tool_use": {
      const [toolUseId, name] = [block["id"] as string, block["name"] as string];
      return [{ toolUse: { toolUseId, name, input: block["input"] } }];
    }
    default:
      return [];
  }
}

export interface StreamOptions {
  /** Sent for a call's input instead of its JSON: a misbehaving model's own bytes. */
  readonly rawInputs: ReadonlyMap<string, string>;
}

/** The same response as events. Only calls have an event for their start; usage comes last. */
export function toEvents(response: ConverseResponse, { rawInputs }: StreamOptions): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const send = (event: string, fields: object): void => {
    // Every event is padded, so that its length does not show what it says (cline#4683).
    events.push({
      event,
      data: JSON.stringify({ ...fields, p: PADDING.slice(0, 1 + (events.length % PADDING.length)) }),
    });
  };
  const { message } = response.output;
  send("messageStart", { role: message.role });
  for (const [contentBlockIndex, block] of message.content.entries()) {
    if (block.toolUse !== undefined) {
      const { toolUseId, name } = block.toolUse;
      send("contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId, name } } });
    }
    for (const delta of toDeltas(block, rawInputs)) send("contentBlockDelta", { contentBlockIndex, delta });
    send("contentBlockStop", { contentBlockIndex });
  }
  send("messageStop", { stopReason: response.stopReason });
  send("metadata", { usage: response.usage, metrics: response.metrics });
  return events;
}

const PADDING = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

function toDeltas(
  { text, toolUse, reasoningContent }: ContentBlock,
  rawInputs: ReadonlyMap<string, string>,
): readonly object[] {
  if (text !== undefined) return inPieces(text).map((piece) => ({ text: piece }));
  if (toolUse !== undefined) {
    const json = rawInputs.get(toolUse.toolUseId) ?? JSON.stringify(toolUse.input);
    return inPieces(json).map((input) => ({ toolUse: { input } }));
  }
  const { reasoningText, redactedContent } = reasoningContent ?? {};
  if (redactedContent !== undefined) return [{ reasoningContent: { redactedContent } }];
  const { text: thought = "", signature } = reasoningText ?? {};
  return [
    ...inPieces(thought).map((piece) => ({ reasoningContent: { text: piece } })),
    { reasoningContent: { signature } },
  ];
}
