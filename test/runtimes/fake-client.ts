import type { AnthropicClient, AnthropicResponse } from "palimpsest/anthropic";

type Create = AnthropicClient["messages"]["create"];

/** A client that needs no network: it answers every call with the same text, at once or as a stream of events. */
export function fakeClient(text: string): AnthropicClient {
  const create = async (request: { readonly stream?: boolean | null }): Promise<unknown> =>
    request.stream === true ? events(answer(request, { text })) : answer(request, { text });
  const messages = { create: create as unknown as Create };
  return { messages, beta: { messages } } as unknown as AnthropicClient;
}

/** A response that says a text, or calls a tool, and counts its request as a tokenizer would, roughly. */
export function answer(
  request: object,
  said: { readonly text: string } | { readonly callId: string; readonly tool: string },
): AnthropicResponse {
  const calls = "tool" in said;
  const block = calls
    ? { type: "tool_use", id: said.callId, name: said.tool, input: {} }
    : { type: "text", text: said.text, citations: null };
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: [block],
    stop_reason: calls ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: Math.ceil(JSON.stringify(request).length / 4), output_tokens: 10 },
  } as unknown as AnthropicResponse;
}

async function* events(message: AnthropicResponse): AsyncGenerator<unknown> {
  yield { type: "message_start", message: { ...message, content: [], stop_reason: null } };
  for (const [index, block] of message.content.entries()) {
    const text = block.type === "text" ? block.text : "";
    yield { type: "content_block_start", index, content_block: { type: "text", text: "" } };
    yield { type: "content_block_delta", index, delta: { type: "text_delta", text } };
    yield { type: "content_block_stop", index };
  }
  yield { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 10 } };
  yield { type: "message_stop" };
}
