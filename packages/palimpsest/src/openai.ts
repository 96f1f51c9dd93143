/** `palimpsest/openai`: OpenAI's Responses and Chat Completions APIs as providers. */

export { type ChatClient, type ChatOptions, openaiChat } from "./providers/openai/chat.ts";
export type {
  ChatMessage,
  ChatRequest,
  ChatResponse,
  ResponsesItem,
  ResponsesRequest,
  ResponsesResponse,
} from "./providers/openai/facts.ts";
export { openaiResponses, type ResponsesClient, type ResponsesOptions } from "./providers/openai/responses.ts";
