import { type ModelMessage, pruneMessages } from "ai";
import type { Subject } from "../src/overhead/subject.ts";
import type { Round } from "../src/overhead/transcript.ts";

/**
 * Counts no tokens and has no limit: where it is called, it prunes. The messages it is given stay as they are, so that
 * every call goes over all of them.
 */
export const pruneMessagesPeer: Subject = {
  name: "ai pruneMessages",
  counts: "nothing",
  async begin(rounds) {
    const messages: ModelMessage[] = [{ role: "user", content: "Fix the failing test." }];
    for (const round of rounds) messages.push(toCall(round), toResult(round));
    return {
      async next(round) {
        messages.push(toCall(round));
        const result = toResult(round);
        return () => {
          messages.push(result);
          return pruneMessages({ messages, toolCalls: "before-last-20-messages" });
        };
      },
    };
  },
};

function toCall({ callId: toolCallId, path }: Round): ModelMessage {
  return { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: "read_file", input: { path } }] };
}

function toResult({ callId: toolCallId, output }: Round): ModelMessage {
  const content = { type: "tool-result", toolCallId, toolName: "read_file", output: { type: "text", value: output } };
  return { role: "tool", content: [content as never] };
}
