import type OpenAI from "openai";

/** The names of these wire forms in logs. */
export const OPENAI_RESPONSES = "openai-responses";
export const OPENAI_CHAT = "openai-chat";

/** An item of the conversation: a message, a call, its output, reasoning, ... */
export type ResponsesItem = OpenAI.Responses.ResponseInputItem;
export type ResponsesRequest = OpenAI.Responses.ResponseCreateParamsNonStreaming;
export type ResponsesResponse = OpenAI.Responses.Response;

export type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;
export type ChatRequest = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
export type ChatResponse = OpenAI.Chat.ChatCompletion;
