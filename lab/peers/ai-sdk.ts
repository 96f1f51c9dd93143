import { type ModelMessage, pruneMessages } from "ai";
import type { Subject } from "../src/overhead/subject.ts";
import type { Round } from "../src/overhead/transcript.ts";
import { messageListPeer } from "./message-list.ts";

/**
 * Counts no tokens and has no limit: where it is called, it prunes. The messages it is given stay as they are, so that
 * every call goes over all of them.
 */
export const pruneMessagesPeer: Subject = messageListPeer<ModelMessage>({
  name: "ai pruneMessages",
  counts: "nothing",
  first: { role: "user", content: "Fix the failing test." },
  toCall,
  toResult,
  begin: () => (messages) => pruneMessages({ messages, toolCalls: "before-last-20-messages" }),
});

function toCall({ callId: toolCallId, path }: Round): ModelMessage {
  return { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: "read_file", input: { path } }] };
}

function toResult({ callId: toolCallId, output }: Round): ModelMessage {
  const content = { type: "tool-result", toolCallId, toolName: "read_file", output: { type: "text", value: output } };
  return { role: "tool", content: [content as never] };
}
