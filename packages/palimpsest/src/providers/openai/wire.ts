import type OpenAI from "openai";

/** The names of these wire forms in logs. */
export const OPENAI_RESPONSES = "openai-responses";
export const OPENAI_CHAT = "openai-chat";

/** An item of the conversation: a message, a call, its output, reasoning, ... */
export type ResponsesItem = OpenAI.Responses.ResponseInputItem;
/** Without `stream`: the same request can be made either way. */
export type ResponsesRequest = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream">;
export type ResponsesResponse = OpenAI.Responses.Response;

export type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;
export type ChatRequest = Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, "stream">;
export type ChatResponse = OpenAI.Chat.ChatCompletion;
