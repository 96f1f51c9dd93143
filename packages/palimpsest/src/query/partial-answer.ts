import type { ReportedUsage, StreamPart } from "../providers/provider.ts";
import type { InterruptedAnswer } from "../session/interrupted-answer.ts";

/** Collects the parts of a response, for the case that it is interrupted. */
export interface PartialAnswer {
  add(part: StreamPart): void;
  /** What had arrived; undefined if nothing had. */
  answer(): InterruptedAnswer | undefined;
}

/**
 * Collects a stream's parts into what `session.recordInterrupted` takes. Thinking and the inputs of tool calls are only
 * measured: neither can be sent back before it is whole.
 */
export function createPartialAnswer(): PartialAnswer {
  let state: "empty" | "begun" = "empty";
  let text = "";
  let unshownCharacters = 0;
  const calls: string[] = [];
  let reported: { readonly responseId?: string; readonly model?: string; readonly usage?: ReportedUsage } = {};
  return {
    add(part) {
      state = "begun";
      switch (part.kind) {
        case "report": {
          const { kind: _, ...report } = part;
          reported = { ...reported, ...report };
          break;
        }
        case "text":
          text += part.text;
          break;
        case "tool_call":
          calls.push(part.name);
          break;
        case "thinking":
        case "tool_input":
          unshownCharacters += part.text.length;
          break;
      }
    },
    answer() {
      if (state === "empty") return undefined;
      return { ...reported, text, calls, unshownCharacters };
    },
  };
}
