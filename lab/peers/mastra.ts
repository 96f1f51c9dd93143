import { TokenLimiterProcessor } from "@mastra/core/processors";
import type { Subject } from "../src/overhead/subject.ts";
import type { Round } from "../src/overhead/transcript.ts";
import { LIMIT_TOKENS } from "./limit.ts";
import { messageListPeer } from "./message-list.ts";

type RequestArguments = Parameters<TokenLimiterProcessor["processLLMRequest"]>[0];
type PromptMessage = RequestArguments["prompt"][number];

/** What the processor does with the prompt, directly before every model call. */
export const tokenLimiterPeer: Subject = messageListPeer<PromptMessage>({
  name: "mastra TokenLimiter",
  counts: "tokens",
  first: { role: "user", content: [{ type: "text", text: "Fix the failing test." }] },
  toCall,
  toResult,
  begin() {
    const limiter = new TokenLimiterProcessor(LIMIT_TOKENS);
    // Of its arguments it reads the prompt.
    return (prompt) => limiter.processLLMRequest({ prompt } as RequestArguments);
  },
});

function toCall({ callId: toolCallId, path }: Round): PromptMessage {
  return { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: "read_file", input: { path } }] };
}

function toResult({ callId: toolCallId, output }: Round): PromptMessage {
  return {
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName: "read_file", output: { type: "text", value: output } }],
  };
}
