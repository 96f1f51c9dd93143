import type { ReportedUsage, StreamPart } from "../providers/provider.ts";
import type { InterruptedAnswer } from "../session/interrupted-answer.ts";

/** Collects the parts of a response, in case it is interrupted. */
export interface PartialAnswer {
  add(part: StreamPart): void;
  /** The received parts; undefined if there are none. */
  answer(): InterruptedAnswer | undefined;
}

/**
 * Collects the parts of a stream for `session.turn.recordInterrupted`. Thinking and inputs of tool calls are only measured: neither
 * can be sent back before it is complete.
 */
export function createPartialAnswer(): PartialAnswer {
  let state: "empty" | "begun" = "empty";
  let text = "";
  let unshownCharacters = 0;
  const calls: string[] = [];
  let reported: { readonly responseId?: string; readonly model?: string; readonly usage?: ReportedUsage } = {};
  return {
    add(part) {
      // Nothing was sent yet, so nothing was paid for.
      if (part.kind === "request-waiting") return;
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
