import { invalidRequest, type Problem } from "../problem.ts";
import type { ReadMessage } from "./messages.ts";

/**
 * Tool messages answer the assistant message right before them, each of its calls once. All three texts are the
 * service's, "preceeding" included (sdcb/chats#132 has two of them with their params).
 */
export function checkToolMessages(messages: readonly ReadMessage[]): Problem | undefined {
  let open: string[] = [];
  let called: readonly string[] | undefined;
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (called === undefined) return orphan(index);
      const place = open.indexOf(message.resultOf ?? "");
      if (place < 0) return unknownCall(message.resultOf ?? "", index);
      open.splice(place, 1);
      continue;
    }
    if (open.length > 0) return unanswered(open, index);
    called = message.calls;
    open = [...(called ?? [])];
  }
  return open.length > 0 ? unanswered(open, messages.length) : undefined;
}

/** The param names the place where a tool message was due. At the end of the list, that is our reading. */
function unanswered(callIds: readonly string[], index: number): Problem {
  const message =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${callIds.join(", ")}`;
  return invalidRequest(message, { param: `messages.[${index}].role` });
}

function orphan(index: number): Problem {
  const message =
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
  return invalidRequest(message, { param: `messages.[${index}].role` });
}

/** From memory. A second answer to one call is refused with the same words; that case was not seen. */
function unknownCall(callId: string, index: number): Problem {
  const message = `Invalid parameter: 'tool_call_id' of '${callId}' not found in 'tool_calls' of previous message.`;
  return invalidRequest(message, { param: `messages.[${index}].tool_call_id` });
}
