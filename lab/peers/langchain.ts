import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ClearToolUsesEdit, countTokensApproximately } from "langchain";
import type { Subject } from "../src/overhead/subject.ts";
import type { Round } from "../src/overhead/transcript.ts";
import { LIMIT_TOKENS } from "./limit.ts";
import { messageListPeer } from "./message-list.ts";

/** Only the size, as its summarization asks for it before every model call. */
export const countTokensPeer: Subject = peer("langchain countTokensApproximately", countTokensApproximately);

/** What contextEditingMiddleware does before every model call. */
export const clearToolUsesPeer: Subject = peer("langchain ClearToolUsesEdit", (messages) => {
  const edit = new ClearToolUsesEdit({ trigger: { tokens: LIMIT_TOKENS } });
  // The model is asked only for limits that are given as a fraction of its window.
  return edit.apply({ messages, model: undefined as never, countTokens: countTokensApproximately });
});

function peer(name: string, beforeRequest: (messages: BaseMessage[]) => unknown): Subject {
  const first = new HumanMessage("Fix the failing test.");
  return messageListPeer<BaseMessage>({ name, counts: "tokens", first, toCall, toResult, begin: () => beforeRequest });
}

function toCall({ callId, path }: Round): AIMessage {
  return new AIMessage({ content: "", tool_calls: [{ id: callId, name: "read_file", args: { path } }] });
}

function toResult({ callId, output }: Round): ToolMessage {
  return new ToolMessage({ tool_call_id: callId, name: "read_file", content: output });
}
