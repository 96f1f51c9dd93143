/** The body of a request, as client libraries write it. */
export function messagesBody(messages: readonly object[], more: object = {}): string {
  return JSON.stringify({ model: "claude-sonnet-4-6", max_tokens: 100, system: "Be brief.", messages, ...more });
}

export function user(content: unknown): object {
  return { role: "user", content };
}

export function assistant(text: string): object {
  return { role: "assistant", content: [{ type: "text", text }] };
}

export function toolResult(id: string, content: unknown): object {
  return user([{ type: "tool_result", tool_use_id: id, content }]);
}

export function toolCall(id: string): object {
  return { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] };
}

/** An answer that is not streamed. */
export function messageAnswer(text: string, usage: object = {}, id: string = "msg_1"): string {
  const counted = { input_tokens: 4, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 9 };
  return JSON.stringify({
    id,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-6",
    content: [{ type: "text", text }],
    usage: { ...counted, ...usage },
  });
}
