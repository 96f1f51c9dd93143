import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ClearToolUsesEdit, countTokensApproximately } from "langchain";
import type { Subject } from "../src/overhead/subject.ts";
import type { Round } from "../src/overhead/transcript.ts";
import { LIMIT_TOKENS } from "./limit.ts";

/** Only the size, as its summarization asks for it before every model call. */
export const countTokensPeer: Subject = peer("langchain countTokensApproximately", countTokensApproximately);

/** What contextEditingMiddleware does before every model call. */
export const clearToolUsesPeer: Subject = peer("langchain ClearToolUsesEdit", (messages) => {
  const edit = new ClearToolUsesEdit({ trigger: { tokens: LIMIT_TOKENS } });
  // The model is asked only for limits that are given as a fraction of its window.
  return edit.apply({ messages, model: undefined as never, countTokens: countTokensApproximately });
});

function peer(name: string, act: (messages: BaseMessage[]) => unknown): Subject {
  return {
    name,
    counts: "tokens",
    async begin(rounds) {
      const messages: BaseMessage[] = [new HumanMessage("Fix the failing test.")];
      for (const round of rounds) messages.push(toCall(round), toResult(round));
      return {
        async next(round) {
          messages.push(toCall(round));
          const result = toResult(round);
          return () => {
            messages.push(result);
            return act(messages);
          };
        },
      };
    },
  };
}

function toCall({ callId, path }: Round): AIMessage {
  return new AIMessage({ content: "", tool_calls: [{ id: callId, name: "read_file", args: { path } }] });
}

function toResult({ callId, output }: Round): ToolMessage {
  return new ToolMessage({ tool_call_id: callId, name: "read_file", content: output });
}
