export { type ChatClient, type ChatOptions, openaiChat } from "./openai/chat.ts";
export type {
  ChatMessage,
  ChatRequest,
  ChatResponse,
  ResponsesItem,
  ResponsesRequest,
  ResponsesResponse,
} from "./openai/facts.ts";
export { openaiResponses, type ResponsesClient, type ResponsesOptions } from "./openai/responses.ts";
